"""Which project a new memory belongs to, and whether it is for that project alone."""

from __future__ import annotations

from collections.abc import Mapping

from memvault.core.kinds import Kinds
from memvault.core.marks import concerns_person
from memvault.core.memory import FieldValue


def belonging(
    project: str, *, kind: str, text: str, kinds: Kinds, given: Mapping[str, FieldValue]
) -> dict[str, FieldValue]:
    """The fields `project` and `scope` of a memory that is made within a project; what is given goes first."""
    if not project or "project" in given:
        return {}
    said: dict[str, FieldValue] = {"project": project}
    row = kinds.get(kind)
    if "scope" not in given and row is not None and row.personal and concerns_person(text):
        said["scope"] = "global"
    return said
