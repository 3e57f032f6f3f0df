"""The file of results, which the next call reads to go on.

# the device; versions; the commit          a head: all lines below it were measured so
$ the command
a  ntil, one digit, float32       ok      the figures
c  some checkpoint                FAILED  the reason
    details of the case above
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

    from benchmarks.gpu.parts import Outcome

OK, FAILED = "ok", "FAILED"
_CASE = re.compile(rf"([ac])  (\S.*?)  +({OK}|{FAILED})(?:  .*)?")


@dataclass(frozen=True)
class Block:
    """A head, or a case with its details, as the file has it."""

    head: str
    text: str
    part: str = ""
    case: str = ""
    ok: bool = True


class Results:
    """Results of one device, in a file that may hold those of other devices as well."""

    def __init__(self, path: Path, head: str, command: str) -> None:
        self.path, self.head, self.command = path, head, command
        self._blocks = _blocks(path.read_text(encoding="utf-8")) if path.exists() else []
        # A call writes its head once, above the first case that it measures.
        self._has_head = False

    def of(self, part: str) -> dict[str, Block]:
        """Return the cases of a part that were measured on this device, in this size."""
        return {b.case: b for b in self._blocks if b.part == part and self._is_ours(b)}

    def forget(self, unwanted: Callable[[Block], bool]) -> None:
        """Strike this device's cases that are to be measured again, and the end of a cut line."""
        self._blocks = [
            b for b in self._blocks if not (b.part and self._is_ours(b) and unwanted(b))
        ]
        if self.path.exists():
            put_text(self.path, "".join(b.text for b in self._blocks))

    def add(self, part: str, case: str, outcome: Outcome) -> str:
        """Append a case and return its text; a kill leaves at most the beginning of a line."""
        verdict = OK if outcome.ok else FAILED
        lines = [
            f"{part}  {case:<42}  {verdict:<6}  {outcome.text}",
            *(f"    {detail}" for detail in outcome.details),
        ]
        text = "".join(f"{line.rstrip()}\n" for line in lines)
        block = Block(self.head, text, part, case, outcome.ok)
        self._blocks.append(block)
        self._append(("" if self._has_head else self._heading()) + text)
        self._has_head = True
        return text

    def _is_ours(self, block: Block) -> bool:
        return _device_and_size(block.head) == _device_and_size(self.head)

    def _heading(self) -> str:
        gap = "\n" if self.path.exists() and self.path.stat().st_size else ""
        return f"{gap}# {self.head}\n$ {self.command}\n"

    def _append(self, text: str) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(text)
            # A machine that is taken away leaves every finished case behind.
            file.flush()
            os.fsync(file.fileno())


def _device_and_size(head: str) -> tuple[str, bool]:
    """Return the part of a head that results must share; small models are a size of their own."""
    fields = head.split("; ")
    return fields[0], "tiny" in fields


def _blocks(text: str) -> list[Block]:
    """Split the file; a last line without its end was cut by a kill and is left out."""
    blocks: list[Block] = []
    head = ""
    for line in text[: text.rfind("\n") + 1].splitlines(keepends=True):
        bare = line.rstrip("\n")
        if bare.startswith("# "):
            head = bare.removeprefix("# ")
        case = _CASE.fullmatch(bare)
        if line.startswith("    ") and blocks:
            last = blocks.pop()
            blocks.append(Block(last.head, last.text + line, last.part, last.case, last.ok))
        elif case:
            blocks.append(Block(head, line, case[1], case[2], case[3] == OK))
        else:
            blocks.append(Block(head, line))
    return blocks
