"""Checks of the vault as a whole: its folders, its settings, what is loaded always, and vaults within it."""

from __future__ import annotations

import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property

from memvault.core.memory import Place
from memvault.core.plan import Create
from memvault.core.settings import read_vault_settings
from memvault.core.value import replace
from memvault.errors import MemvaultError
from memvault.maintenance.doctor.finding import Finding, MakeFolder
from memvault.maintenance.doctor.scan import KILO, Survey, inner_vaults
from memvault.storage.vault import config
from memvault.storage.vault.configure import IgnoredShown, show_ignored
from memvault.storage.vault.layout import CONFIG, IGNORE, Layout
from memvault.system import files

_LOADED = ((Place.IDENTITY, "Tier 0", 3, "always"), (Place.HOT, "Tier 1", 20, "in every session"))


def folders(survey: Survey) -> Iterator[Finding]:
    """Tier folders that are not there: never made, renamed, or gone with their notes."""
    known = _Known(survey)
    home = survey.vault.settings.text("layout.home")
    if home and not _is_folder(survey, home):
        yield from _missing(survey, known, f"{home}/", "layout.home")
        return
    for setting, folder in _tier_folders(survey.vault.layout).items():
        if not _is_folder(survey, folder):
            yield from _missing(survey, known, folder, setting)


def _tier_folders(layout: Layout) -> Mapping[str, str]:
    """The folders of the tiers by the settings that name them."""
    return {
        "layout.identity": layout.identity,
        "layout.hot": layout.hot,
        "layout.memories": layout.memories,
        "layout.raw": layout.raw,
    }


def _is_folder(survey: Survey, folder: str) -> bool:
    return (survey.vault.root / folder).is_dir()


def _missing(survey: Survey, known: _Known, folder: str, setting: str) -> Iterator[Finding]:
    gone, new_place = known.gone_from(folder)
    if survey.vault.exists(folder.rstrip("/")):
        yield Finding(
            severity="error",
            path=folder,
            sentence="A file stands where this folder of the vault belongs.",
            advice="Give the file another name.",
        )
    elif new_place:
        yield Finding(
            severity="error",
            path=folder,
            sentence=f"The folder is gone, and notes that lay in it lie in {new_place} now: it was renamed.",
            advice=f'Rename it back, or set `{setting.partition(".")[2]} = "{_value(survey, setting, new_place)}"` '
            "under [layout] in memvault.toml.",
        )
    elif gone:
        yield Finding(
            severity="error",
            path=folder,
            sentence=f"The folder is gone, and with it {gone} {'note' if gone == 1 else 'notes'} memvault knew there.",
            advice="Bring it back from a copy; or, if it was deleted on purpose, make it again, empty.",
        )
    elif not survey.vault.charter.adopted:
        yield Finding(
            severity="note",
            path=folder,
            sentence="The folder is not there; it is made when it is first needed.",
            advice="Make it, if you want to put notes there yourself.",
            chore=MakeFolder(folder),
        )


def _value(survey: Survey, setting: str, folder: str) -> str:
    home = survey.vault.settings.text("layout.home")
    top = f"{home}/" if home and setting != "layout.home" else ""
    return folder.removeprefix(top).rstrip("/")


class _Known:
    """Where notes lay as far as the ledger and the operation log know."""

    def __init__(self, survey: Survey) -> None:
        self._survey = survey
        self._by_name: dict[str, list[str]] = defaultdict(list)
        for look in survey.looks:
            self._by_name[look.entry.name].append(look.path)

    def gone_from(self, folder: str) -> tuple[int, str]:
        """How many notes of a folder are nowhere, and the folder that others of them went to together."""
        nowhere, went = 0, Counter[str]()
        for path in self._paths:
            if not path.startswith(folder):
                continue
            inner = path.removeprefix(folder)
            found = self._by_name.get(path.rpartition("/")[2], [])
            nowhere += not found
            # Of several notes of one name it cannot be told which of them it was.
            if len(found) == 1 and found[0].endswith(f"/{inner}"):
                went[found[0].removesuffix(inner)] += 1
        new_place = next((place for place, _ in went.most_common(1)), "")
        return nowhere, "" if self._is_tier(new_place) else new_place

    @cached_property
    def _paths(self) -> set[str]:
        by_id: dict[str, list[str]] = defaultdict(list)
        for path, id_ in self._survey.vault.ledger.decisions().ids_by_path.items():
            by_id[id_].append(path)
        vault = self._survey.vault
        unfound = (paths for paths in by_id.values() if not any(vault.exists(path) for path in paths))
        return {path for paths in unfound for path in paths} | self._logged()

    def _logged(self) -> set[str]:
        """The files that the log leaves in place, but for those that are forgotten."""
        there: set[str] = set()
        for step in (step for operation in self._survey.operations for step in operation.steps):
            if step.do in ("move", "remove"):
                there.discard(step.path)
            if step.do in ("create", "move"):
                there.add(step.to or step.path)
        return {path for path in there if not self._survey.vault.exists(path)}

    def _is_tier(self, folder: str) -> bool:
        return folder.startswith(tuple(_tier_folders(self._survey.vault.layout).values()))


# -- what is loaded always


def always_loaded(survey: Survey) -> Iterator[Finding]:
    """Tier 0 and Tier 1 larger than what fits before every conversation."""
    for place, tier, kilobytes, when in _LOADED:
        size = sum(look.entry.size for look in survey.looks if look.memory.place is place)
        if size > kilobytes * KILO:
            yield Finding(
                severity="warning",
                path=survey.vault.layout.folder(place),
                sentence=f"{tier} is {size / KILO:.1f} KB; it is loaded {when}, and should be {kilobytes} KB at most.",
                advice="Shorten its notes, or move some to Tier 2 (`memvault move NAME memories`).",
            )


# -- settings


def settings(survey: Survey) -> Iterator[Finding]:
    """A settings file that is missing or cannot be read, settings that do not exist, and those that are ignored."""
    path = survey.vault.root / CONFIG
    if not path.exists():
        template = Create(CONFIG, config.template({}).encode(), "write one that shows every default as a comment")
        yield Finding(
            severity="warning",
            path=CONFIG,
            sentence="The settings file is missing, so the defaults hold.",
            advice="Bring it back from a copy if you had changed settings.",
            mends=(template,),
        )
        return
    try:
        tree = tomllib.loads(files.read(path).decode("utf-8-sig"))
    except MemvaultError as error:
        yield _bad_settings(str(error), "Give yourself the right to read it.")
    except ValueError as error:
        yield _bad_settings(f"It cannot be read as TOML: {error}.", "Mend that line; until then no command works.")
    else:
        yield from _rows(survey, tree)


def _rows(survey: Survey, tree: Mapping[str, object]) -> Iterator[Finding]:
    """Each row by itself, so that one bad one does not hide the next."""
    answered = {one.name for one in survey.vault.settings.ignored if one.is_answered}
    for section, rows in tree.items():
        inner = rows.items() if isinstance(rows, Mapping) else (("", rows),)
        for key, value in inner:
            row = {section: {key: value}} if isinstance(rows, Mapping) else {section: value}
            try:
                ignored = read_vault_settings(row, where=CONFIG).ignored
            except MemvaultError as error:
                yield _bad_settings(str(error), error.advice)
            else:
                yield from (_ignored(show_ignored(replace(one, is_answered=one.name in answered))) for one in ignored)


def _ignored(one: IgnoredShown) -> Finding:
    return Finding(
        severity="note" if one.is_answered else "warning",
        path=CONFIG,
        sentence=f"{one.name} = {one.value} is ignored: only you may set it, in your own config.",
        advice="Take the line out." if one.is_answered else f"Take the line out. To set it yourself: `{one.command}`.",
    )


def _bad_settings(sentence: str, advice: str) -> Finding:
    return Finding(severity="error", path=CONFIG, sentence=sentence, advice=advice)


# -- vaults within


def nested(survey: Survey) -> Iterator[Finding]:
    """Vaults that lie inside this one."""
    for folder in inner_vaults(survey):
        yield Finding(
            severity="warning",
            path=folder,
            sentence="Another vault lies here, so its notes are found from both.",
            advice=f"Add the line `/{folder}` to {IGNORE} to leave them to the inner vault, or move that vault out.",
        )
