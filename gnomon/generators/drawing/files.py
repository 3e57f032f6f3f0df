"""The user's own photographs, fonts and palettes: files and folders named beside built-in names."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from gnomon.names import hint

SUFFIXES = {
    "backgrounds": (".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff"),
    "fonts": (".ttf", ".otf"),
    "palettes": (".hex", ".txt", ".json", ".yaml", ".yml"),
}
"""Options that take files, and what these end in."""
_LICENCES = ("license", "licence", "copying", "ofl", "unlicense")
"""How the names of licence files begin."""
NOT_STATED = "not stated"
_MOST = 20_000
"""Files of a folder: all are hashed before the first picture is drawn."""


class OwnFile(str):
    """A file by its name and the first digits of its hash; facts and caches know it by these.

    So where it lies does not matter, and two files of one name are two.
    """

    path: str
    """As the option has it: relative to the working directory, as all paths of a recipe are."""
    sha256: str
    licence: str
    """What the licence file beside it begins with."""

    @classmethod
    def of(cls, path: Path, licence: str) -> OwnFile:
        """The file as it is now."""
        stat = path.stat()
        digest = _digest(str(path), stat.st_mtime_ns, stat.st_size)
        found = cls(f"{path.name}@{digest[:8]}")
        found.path, found.sha256, found.licence = str(path), digest, licence
        return found

    def read(self) -> bytes:
        """What is in it; refused if that is not what was hashed."""
        content = Path(self.path).read_bytes()
        if sha256(content).hexdigest() != self.sha256:
            raise ValueError(f"{self.path} has changed since drawing began: begin again")
        return content


def opened(option: str, wanted: Sequence[str], known: Sequence[str]) -> dict[str, list[OwnFile]]:
    """The files of each entry that is no built-in name; what is neither is refused."""
    if isinstance(wanted, str) or not wanted:
        raise ValueError(
            f"{option}={wanted!r}: give a list of names, files or folders, such as [{known[0]}]"
        )
    return {entry: _files(option, entry, known) for entry in wanted if entry not in known}


def _files(option: str, entry: str, known: Sequence[str]) -> list[OwnFile]:
    place, suffixes = Path(entry), SUFFIXES[option]
    if place.is_dir():
        found = _within(option, place)
        if not found:
            raise ValueError(f"{option}={entry!r}: no {', '.join(suffixes)} in that folder")
    elif not place.is_file():
        raise ValueError(f"{option}={entry!r}: no such name, file or folder; {hint(entry, known)}")
    elif place.suffix.lower() not in suffixes:
        raise ValueError(f"{option}={entry!r}: give a file in {', '.join(suffixes)}, or a folder")
    else:
        found = [place]
    return [OwnFile.of(file, _licence(file.parent, place)) for file in found]


def _within(option: str, folder: Path) -> list[Path]:
    """The files of a folder and of those in it, by name; hidden ones are nobody's."""
    found: list[Path] = []
    for file in folder.rglob("*"):
        inner = file.relative_to(folder)
        hidden = any(part.startswith(".") for part in inner.parts)
        if file.suffix.lower() in SUFFIXES[option] and not (hidden or _is_licence(file)):
            found.append(file)
        if len(found) > _MOST:
            raise ValueError(f"{option}={str(folder)!r}: more than {_MOST:,} files; name fewer")
    return sorted((file for file in found if file.is_file()), key=lambda file: file.parts)


def _licence(folder: Path, top: Path) -> str:
    """The licence files in a file's folder, or in one above it up to `top`, as they begin."""
    for place in (folder, *folder.parents):
        if found := _licences(place, place.stat().st_mtime_ns):
            return found
        if place == top or not top.is_dir():
            break
    return NOT_STATED


@lru_cache(maxsize=1024)
def _licences(folder: Path, _modified: int) -> str:
    found = []
    for file in sorted(file for file in folder.iterdir() if _is_licence(file) and file.is_file()):
        lines = file.read_text(encoding="utf-8", errors="replace").split("\n")
        found.append(f"{file.name}: {next(filter(None, map(str.strip, lines)), '')[:100]}")
    return "; ".join(found)


def _is_licence(file: Path) -> bool:
    return file.name.lower().startswith(_LICENCES) and file.suffix.lower() in ("", ".txt", ".md")


@lru_cache(maxsize=4 * _MOST)
def _digest(path: str, _modified: int, _size: int) -> str:
    return sha256(Path(path).read_bytes()).hexdigest()
