"""Files and folders that are complete or absent, whenever the writing stops.

A new `a.csv` is written as `.a.csv.PID.tmp` next to it. A killed process leaves this file behind,
and the next writer of `a.csv` removes it.
"""

import errno
import os
import re
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from fnmatch import fnmatchcase
from glob import escape
from pathlib import Path

from gnomon.files import check_writable

_LEFTOVER = re.compile(r"\.(.+)\.(\d+)(\.old)?\.tmp", re.DOTALL)
_OLD = ".old"
"""Part of the name of files that are being replaced, until all new files are in place."""


def put_text(final: Path, text: str) -> None:
    """Write a text file in one step. Undecodable bytes of file names in it are escaped."""
    put_bytes(final, text.encode("utf-8", "backslashreplace"))


def put_bytes(final: Path, data: bytes) -> None:
    """Write a file in one step. A file with the same content is left unchanged."""
    check_writable(final)
    with suppress(FileNotFoundError):
        # An unchanged file keeps its time, by which make and rsync recognise it.
        if final.stat().st_size == len(data) and final.read_bytes() == data:
            remove_leftovers(final.parent, escape(final.name))
            return
    with replace_file(final) as temporary:
        temporary.write_bytes(data)


def check_is_free(final: Path) -> None:
    """Refuse an existing name, before the work whose result `create_file` could not store."""
    # A kill between naming the file and removing its temporary twin leaves the twin behind.
    remove_leftovers(final.parent, escape(final.name))
    if final.exists():
        raise FileExistsError(f"{final} already exists: name another file")


def create_file(final: Path, data: bytes) -> None:
    """Write a new file. If another process creates the file meanwhile, that file stays."""
    with _temporary(final) as temporary:
        temporary.write_bytes(data)
        _flush_to_disk(temporary)
        try:
            # A rename would replace the file. A link fails in one step if the name exists, on any
            # system.
            os.link(temporary, final)
        except FileExistsError:
            raise _occupied(final) from None
        except OSError:  # a file system without hard links
            _rename_new(temporary, final)


@contextmanager
def replace_file(final: Path) -> Iterator[Path]:
    """Yield an empty temporary file that becomes `final`, new or replaced, on success.

    It has the mode of the replaced file from the start, because that may be private.
    """
    check_writable(final)
    with _temporary(final) as temporary:
        mode = None
        with suppress(FileNotFoundError):
            mode = stat.S_IMODE(os.stat(final).st_mode)
        # Writable during the writing. O_EXCL does not follow links that somebody put there.
        created = 0o666 if mode is None else mode | stat.S_IWUSR
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, created))
        yield temporary
        _flush_to_disk(temporary)
        if mode is not None:
            temporary.chmod(mode)
        os.replace(temporary, final)


@contextmanager
def replace_files(*finals: Path) -> Iterator[Path]:
    """Yield a temporary folder for files of these names, which are put in place together.

    This happens on success. If a file cannot be placed, the old files are put back. A kill between
    two files leaves old and new files, each of them complete.
    """
    for final in finals:
        check_writable(final)
    with _temporary(finals[0], contents=finals[0].parent) as folder:
        folder.mkdir(0o700)  # what is replaced may be private
        yield folder
        for final in finals:
            with name_in_errors(final):
                _flush_to_disk(folder / final.name)
                with suppress(FileNotFoundError):
                    shutil.copymode(final, folder / final.name)
        _place(folder, finals)


@contextmanager
def create_folder(final: Path) -> Iterator[Path]:
    """Yield an empty temporary folder. On success it is renamed to `final` if that does not
    exist."""
    with _temporary(final, contents=final) as folder:
        folder.mkdir()
        yield folder
        rename_new(folder, final)


@contextmanager
def replace_folder(final: Path) -> Iterator[Path]:
    """Yield an empty temporary folder that becomes `final`, new or replaced, on success.

    A full folder cannot be replaced in one step. The old folder is moved away first, and back if
    the new folder cannot be placed. A kill between the two leaves neither in place.
    """
    with _temporary(final, contents=final) as folder:
        folder.mkdir()
        yield folder
        _flush_to_disk(folder)
        # Named like a leftover, so the next writer removes it if this process dies here.
        old = folder.with_suffix(f"{_OLD}.tmp")
        with suppress(FileNotFoundError):
            final.rename(old)
        try:
            _rename_new(folder, final)
        except OSError:
            if old.exists():
                old.rename(final)
            raise
        with suppress(OSError):
            _remove(old)


def rename_new(temporary: Path, final: Path) -> None:
    """Rename a file or a folder to `final`. If `final` was created meanwhile, it stays as it is."""
    # A rename may reach the disk before the data, and a power cut would then leave empty files.
    _flush_to_disk(temporary)
    _rename_new(temporary, final)


def remove_leftovers(folder: Path, pattern: str, *, locked: bool = False) -> None:
    """Remove temporary files of killed processes whose final names match the pattern.

    Files of living processes are removed only if the caller has `locked` these places, because then
    a living process has the number of a dead one.
    """
    with suppress(OSError):
        for entry in folder.iterdir():
            match = _LEFTOVER.fullmatch(entry.name)
            if match is None or not fnmatchcase(match[1], pattern):
                continue
            if locked or not _is_alive(int(match[2])):
                _remove(entry)


@contextmanager
def name_in_errors(path: Path) -> Iterator[None]:
    """Add this path to errors of the disk that name no file. Arrow's several lines become one.

    An error that names another file, such as a missing font, keeps its message.
    """
    try:
        yield
    except OSError as error:
        elsewhere = error.filename is not None and Path(error.filename) != path
        if error.errno is None or elsewhere:
            raise
        raise OSError(error.errno, os.strerror(error.errno), str(path)) from error


@contextmanager
def _temporary(final: Path, *, contents: Path | None = None) -> Iterator[Path]:
    """Yield a temporary path next to `final`. Errors of the disk name the final paths.

    `contents`: the final folder of the files that are written into a temporary folder.
    """
    temporary = final.with_name(f".{final.name}.{os.getpid()}.tmp")
    remove_leftovers(final.parent, escape(final.name))
    try:
        with name_in_errors(final):
            yield temporary
    except OSError as error:
        file = Path(error.filename) if isinstance(error.filename, str | Path) else None
        if error.errno is None or file is None or not file.is_relative_to(temporary):
            raise
        path = final
        if file != temporary and contents is not None:
            path = contents / file.relative_to(temporary)
        raise OSError(error.errno, os.strerror(error.errno), str(path)) from error
    finally:
        with suppress(OSError):
            _remove(temporary)


def _rename_new(temporary: Path, final: Path) -> None:
    # Between this check and the renaming, a system may remove a folder, but only an empty one.
    if os.path.lexists(final):
        raise _occupied(final)
    try:
        temporary.rename(final)
    except OSError as error:
        if error.errno in (errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR, errno.EISDIR):
            raise _occupied(final) from error
        raise


def _place(folder: Path, finals: tuple[Path, ...]) -> None:
    """Move files from their temporary folder to their places, all of them or none."""
    if len(finals) == 1:  # in one move: there is nothing to take back
        with name_in_errors(finals[0]):
            os.replace(folder / finals[0].name, finals[0])
        return
    old = folder / _OLD
    done: list[Path] = []
    old.mkdir()
    for final in finals:
        with suppress(FileNotFoundError), name_in_errors(final):
            _link_or_copy(final, old / final.name)
    try:
        for final in finals:
            with name_in_errors(final):
                os.replace(folder / final.name, final)
            done.append(final)
    except BaseException:  # Ctrl-C as well
        for final in done:
            if (old / final.name).exists():
                os.replace(old / final.name, final)
            else:
                final.unlink()
        raise


def _link_or_copy(file: Path, name: Path) -> None:
    """Link a file under a second name, or copy it if the file system does not support hard
    links."""
    try:
        os.link(file, name)
    except FileNotFoundError:
        raise
    except OSError:
        shutil.copy2(file, name)


def _occupied(final: Path) -> FileExistsError:
    return FileExistsError(
        f"{final} was created in the meantime, and gnomon does not replace it: name another path"
    )


def _is_alive(process: int) -> bool:
    """Return True if another process with this number runs on this machine."""
    if process == os.getpid():
        return False
    if os.name == "nt":  # there os.kill(…, 0) would end it
        return True
    try:
        os.kill(process, 0)  # signal 0 only looks whether the process is there
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):  # another user's; no number of this system's
        return True
    return True


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _flush_to_disk(path: Path) -> None:
    """Flush a file, or the files directly in a folder, but not the thousands of pictures below
    it."""
    for file in filter(Path.is_file, path.iterdir() if path.is_dir() else (path,)):
        with file.open("rb+") as stream:
            os.fsync(stream.fileno())
