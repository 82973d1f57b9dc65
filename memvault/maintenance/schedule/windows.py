"""A task of the Windows Task Scheduler."""

from __future__ import annotations

import csv
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape

from memvault.errors import BadInput
from memvault.maintenance.schedule import ScheduledJob, ScheduleEntry, SchedulePiece, job_name
from memvault.system import files, paths
from memvault.system.programs import Machine

_WITHOUT = "Nothing was installed. Start `memvault maintain` yourself, or ask who looks after this machine."
_BY_HAND = "Nothing was taken away. The Task Scheduler shows the task, and can delete it."
_SPACE = "{http://schemas.microsoft.com/windows/2004/02/mit/task}"
# There is no way to write these so that they are taken as they are.
_PUT_IN = re.compile(r"%[^%]+%|\$\(")
_WORD = re.compile(r'"([^"]*)"|(\S+)')

# The first day of the trigger lies in the past: any day does.
_TASK = """\
<?xml version="1.0" encoding="UTF-16"?>
<!-- Created and maintained by memvault; edits may be replaced. -->
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Description>Daily upkeep of {vault} (created and maintained by memvault; edits may be replaced)</Description>
  </RegistrationInfo>
  <Triggers>
    <CalendarTrigger>
      <StartBoundary>2026-01-01T{at}:00</StartBoundary>
      <Enabled>true</Enabled>
      <ScheduleByDay>
        <DaysInterval>1</DaysInterval>
      </ScheduleByDay>
    </CalendarTrigger>
  </Triggers>
  <Principals>
    <Principal id="Author">
      <LogonType>InteractiveToken</LogonType>
      <RunLevel>LeastPrivilege</RunLevel>
    </Principal>
  </Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <StartWhenAvailable>true</StartWhenAvailable>
    <Enabled>true</Enabled>
    <ExecutionTimeLimit>PT12H</ExecutionTimeLimit>
    <Priority>7</Priority>
  </Settings>
  <Actions Context="Author">
    <Exec>
      <Command>{program}</Command>
      <Arguments>{arguments}</Arguments>
    </Exec>
  </Actions>
</Task>
"""


@dataclass(frozen=True, slots=True)
class WindowsScheduler:
    """The Task Scheduler, by way of the program schtasks."""

    name: ClassVar[str] = "windows"
    missed: ClassVar[str] = "A run missed while the machine was off, or you were logged out, is made up for afterwards."

    machine: Machine

    def make_pieces(self, job: ScheduledJob) -> tuple[SchedulePiece, ...]:
        """Return the task as XML."""
        for word in job.command:
            if _PUT_IN.search(word):
                reason = "the Task Scheduler takes %NAME% and $(NAME) for a variable, and cannot be told otherwise"
                raise BadInput(what="a path in a Windows task", value=word, reason=reason)
        program, *words = job.command
        page = _TASK.format(
            vault=escape(job.vault),
            at=job.at,
            program=escape(program),
            arguments=escape(subprocess.list2cmdline(words)),
        )
        return (SchedulePiece(_task_place(job.vault_id), page),)

    def find_entry(self, vault_id: str) -> ScheduleEntry | None:
        """Return what the Task Scheduler says of the vault's task."""
        name = job_name(vault_id)
        ended = self.machine.run_program("schtasks", "/Query", "/TN", name, "/XML")
        if ended.code:
            return None
        task = _read_task(ended.out)
        return ScheduleEntry(
            scheduler=self.name,
            where=(_task_place(vault_id),),
            at=task.get("StartBoundary", "")[11:16],
            command=(task["Command"], *_split_words(task.get("Arguments", ""))) if "Command" in task else (),
            active=task.get("Settings", "true") == "true" if task else None,
            next_run=self._next_run(name),
        )

    def install(self, job: ScheduledJob) -> None:
        """Have the Task Scheduler take the task, in place of an older one."""
        [piece] = self.make_pieces(job)
        path = self._xml_path(job.vault_id)
        files.make_folder(path.parent)
        files.overwrite_file(path, piece.text.replace("\n", "\r\n").encode("utf-16"))
        try:
            self.machine.require_program(
                "schtasks", "/Create", "/TN", job_name(job.vault_id), "/XML", str(path), "/F", way_out=_WITHOUT
            )
        finally:
            files.remove_file(path)

    def remove(self, vault_id: str) -> None:
        """Have the Task Scheduler delete the task."""
        self.machine.require_program("schtasks", "/Delete", "/TN", job_name(vault_id), "/F", way_out=_BY_HAND)

    def _xml_path(self, vault_id: str) -> Path:
        return (
            paths.state_folder(self.machine.environment, platform=self.machine.platform) / f"{job_name(vault_id)}.xml"
        )

    def _next_run(self, name: str) -> str:
        ended = self.machine.run_program("schtasks", "/Query", "/TN", name, "/FO", "CSV", "/NH")
        rows = list(csv.reader(ended.out.decode("utf-8", "replace").splitlines()))
        return "" if ended.code or not rows or len(rows[0]) < 3 else rows[0][1]


def _task_place(vault_id: str) -> str:
    return f"the task {job_name(vault_id)}"


def _read_task(data: bytes) -> dict[str, str]:
    """Return the few elements that matter, by name; `Settings` stands for whether the task is switched on."""
    try:
        root = ET.fromstring(re.sub(r"^\s*<\?xml[^>]*\?>", "", _decode_xml(data)))
    except ET.ParseError:  # somebody's slip: status says that it cannot be read
        return {}
    found = {name: root.findtext(f".//{_SPACE}{name}") for name in ("StartBoundary", "Command", "Arguments")}
    found["Settings"] = root.findtext(f"{_SPACE}Settings/{_SPACE}Enabled")
    return {name: text for name, text in found.items() if text}


def _decode_xml(data: bytes) -> str:
    """Return the XML as text: it says that it is UTF-16, and comes in the console's code page all the same."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode(_console_encoding(), "replace")


def _console_encoding() -> str:
    import codecs

    try:
        return codecs.lookup("oem").name
    except LookupError:  # not on Windows
        return "cp437"


def _split_words(line: str) -> tuple[str, ...]:
    """Return the words that list2cmdline made the line of; a path on Windows holds no quotation mark."""
    return tuple(_unquote_word(match[1]) if match[2] is None else match[2] for match in _WORD.finditer(line))


def _unquote_word(word: str) -> str:
    bare = word.rstrip("\\")
    return bare + "\\" * ((len(word) - len(bare)) // 2)  # those before the closing quote stand there twice
