"""Files of a user to draw with: photographs, fonts and palettes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from hashlib import file_digest, sha256
from pathlib import Path

from gnomon import files
from gnomon.names import hint

# Options that take files, with the allowed file endings.
SUFFIXES = {
    "backgrounds": (".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff"),
    "fonts": (".ttf", ".otf"),
    "palettes": (".hex", ".txt", ".json", ".yaml", ".yml"),
}
# Beginnings of the names of licence files.
_LICENCES = ("license", "licence", "copying", "ofl", "unlicense")
# Number of bytes of a licence file that are searched for its first line.
_LICENCE = 2**16


class UserFile(str):
    """File of a user, written as its name and the first digits of its hash.

    So its folder does not matter, and two files of one name differ.
    """

    path: str
    """Path of the option, relative to the working directory."""
    sha256: str

    @classmethod
    def of(cls, path: Path) -> UserFile:
        """Hash the file as it is now."""
        stat = path.stat()
        digest = _digest(str(path), stat.st_mtime_ns, stat.st_size)
        file = cls(f"{path.name}@{digest[:8]}")
        file.path, file.sha256 = str(path), digest
        return file

    def read(self) -> bytes:
        """Read the content of the file. Refuse it if it has changed since it was hashed."""
        content = files.read_bytes(
            Path(self.path), "a file to draw with", limit=files.MAX_PICTURE_BYTES
        )
        if sha256(content).hexdigest() != self.sha256:
            raise ValueError(f"{self.path} has changed since drawing began: begin again")
        return content


def user_files(
    option: str, entries: Sequence[str], built_in: Sequence[str]
) -> dict[str, list[UserFile]]:
    """Find the files of each entry that is not a built-in name. Refuse unknown entries."""
    if isinstance(entries, str) or not entries:
        raise ValueError(
            f"{option}={entries!r}: give a list of names, files or folders, such as [{built_in[0]}]"
        )
    return {entry: _files(option, entry, built_in) for entry in entries if entry not in built_in}


def _files(option: str, entry: str, built_in: Sequence[str]) -> list[UserFile]:
    """Find a file, or all files of a folder and its subfolders. Hidden files are left out."""
    path, suffixes = Path(entry), SUFFIXES[option]
    if not path.exists():
        raise ValueError(
            f"{option}={entry!r}: no such name, file or folder; {hint(entry, built_in)}"
        )
    # Sorted by parts, because "a/b" and "a.b" would change places between systems as whole paths.
    inside = sorted(path.rglob("*") if path.is_dir() else [path], key=lambda file: file.parts)
    # Hidden files are left out below the entry only, because a home folder may have dots itself.
    matches = [
        UserFile.of(file)
        for file in inside
        if file.suffix.lower() in suffixes
        and file.is_file()
        and not _is_licence(file)
        and not any(part.startswith(".") for part in file.relative_to(path).parts)
    ]
    if not matches:
        raise ValueError(f"{option}={entry!r}: give a file in {', '.join(suffixes)}, or a folder")
    return matches


def licence(path: str) -> str:
    """Read the first line of the licence file next to a user's file."""
    for neighbour in sorted(filter(_is_licence, Path(path).parent.iterdir())):
        with files.open_bytes(neighbour) as stream:
            lines = stream.read(_LICENCE).decode("utf-8", "replace").splitlines()
        return f"{neighbour.name}: {next(filter(None, map(str.strip, lines)), '')[:100]}"
    return "not stated"


def _is_licence(file: Path) -> bool:
    return file.name.lower().startswith(_LICENCES) and file.suffix.lower() in ("", ".txt", ".md")


@cache
def _digest(path: str, _modified: int, _size: int) -> str:
    with files.open_bytes(Path(path)) as stream:
        return file_digest(stream, "sha256").hexdigest()
