"""The file of results: read to go on, appended to line by line.

# the device; versions; the commit          a head: all lines below it were measured so
$ the command
a  ntil, one digit, float32       ok      what was found
c  some checkpoint                FAILED  why
    more about the case above
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.atomic import put_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from benchmarks.gpu.parts import Found

OK, FAILED = "ok", "FAILED"
_CASE = re.compile(rf"([a-d])  (\S.*?)  +({OK}|{FAILED})(?:  .*)?")


@dataclass(frozen=True)
class Block:
    """A head, or a case with what is said of it; as it stands in the file."""

    head: str
    text: str
    part: str = ""
    case: str = ""
    ok: bool = True


class Results:
    """What is known of one device, in a file that may hold other devices' figures as well."""

    def __init__(self, path: Path, head: str, command: str) -> None:
        self.path, self.head, self.command = path, head, command
        self._blocks = _blocks(path.read_text(encoding="utf-8")) if path.exists() else []
        self._told = False

    def of(self, part: str) -> dict[str, Block]:
        """The cases of a part that were measured on this device, in this size."""
        return {b.case: b for b in self._blocks if b.part == part and self._ours(b)}

    def forget(self, unwanted: Callable[[Block], bool]) -> None:
        """Strike this device's cases that are to be measured again, and the end of a cut line."""
        self._blocks = [b for b in self._blocks if not (b.part and self._ours(b) and unwanted(b))]
        if self.path.exists():
            put_text(self.path, "".join(b.text for b in self._blocks))

    def add(self, part: str, case: str, found: Found) -> str:
        """Append a case, all of it or, if killed, at most the beginning of a line."""
        verdict = OK if found.ok else FAILED
        lines = [
            f"{part}  {case:<42}  {verdict:<6}  {found.said}",
            *(f"    {m}" for m in found.more),
        ]
        text = "".join(f"{line.rstrip()}\n" for line in lines)
        block = Block(self.head, text, part, case, found.ok)
        self._blocks.append(block)
        self._append(("" if self._told else self._heading()) + text)
        self._told = True
        return text

    def _ours(self, block: Block) -> bool:
        return _measured_on(block.head) == _measured_on(self.head)

    def _heading(self) -> str:
        gap = "\n" if self.path.exists() and self.path.stat().st_size else ""
        return f"{gap}# {self.head}\n$ {self.command}\n"

    def _append(self, text: str) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())


def _measured_on(head: str) -> tuple[str, bool]:
    """Results of another device, or of small models, are no results of this."""
    fields = head.split("; ")
    return fields[0], "tiny" in fields


def _blocks(text: str) -> list[Block]:
    """The file in pieces; a last line without its end was cut by a kill and is left out."""
    found: list[Block] = []
    head = ""
    for line in text[: text.rfind("\n") + 1].splitlines(keepends=True):
        bare = line.rstrip("\n")
        if bare.startswith("# "):
            head = bare.removeprefix("# ")
        case = _CASE.fullmatch(bare)
        if line.startswith("    ") and found:
            last = found.pop()
            found.append(Block(last.head, last.text + line, last.part, last.case, last.ok))
        elif case:
            found.append(Block(head, line, case[1], case[2], case[3] == OK))
        else:
            found.append(Block(head, line))
    return found
