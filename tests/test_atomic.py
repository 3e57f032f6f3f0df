"""Files and folders take their places whole, together, and in nobody else's."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gnomon.atomic import (
    create_file,
    create_folder,
    put_bytes,
    put_text,
    replace_file,
    replace_files,
    replace_folder,
)


def contents(folder: Path) -> dict[str, str]:
    """Every file below a folder, hidden ones as well, and every empty folder."""
    found = {}
    for path in folder.rglob("*"):
        if path.is_file():
            found[str(path.relative_to(folder))] = path.read_text()
        elif not any(path.iterdir()):
            found[str(path.relative_to(folder))] = "empty"
    return found


@pytest.mark.parametrize("come", ["a file", "a folder", "a full folder"])
def test_what_comes_while_a_folder_is_made_stays(tmp_path, come):
    final = tmp_path / "out"
    with (  # noqa: PT012 - it comes in the middle
        pytest.raises(
            FileExistsError, match="out was created in the meantime, and gnomon does not replace"
        ),
        create_folder(final) as folder,
    ):
        (folder / "model").write_text("made")
        if come == "a file":
            final.write_text("mine")
        else:
            final.mkdir()
        if come == "a full folder":
            (final / "note").write_text("mine")
        before = contents(tmp_path)
    assert contents(tmp_path) == {name: held for name, held in before.items() if held != "made"}


def test_a_folder_that_comes_at_the_last_moment_stays(tmp_path, monkeypatch):
    """After it was looked whether one is there."""
    final = tmp_path / "out"
    monkeypatch.setattr(os.path, "lexists", lambda _: False)
    final.mkdir()
    (final / "note").write_text("mine")
    with (
        pytest.raises(FileExistsError, match="out was created in the meantime"),
        create_folder(final),
    ):
        pass
    assert contents(tmp_path) == {"out/note": "mine"}


@pytest.mark.parametrize("links", [True, False])
def test_a_new_file_replaces_none(tmp_path, monkeypatch, links):
    def no_links(*_, **__):
        raise OSError(errno.EPERM, "Operation not permitted")

    if not links:
        monkeypatch.setattr(os, "link", no_links)
    create_file(tmp_path / "a.yaml", b"first")
    with pytest.raises(FileExistsError, match=r"a\.yaml was created in the meantime"):
        create_file(tmp_path / "a.yaml", b"second")
    assert contents(tmp_path) == {"a.yaml": "first"}


FILES = ("a.html", "a.csv", "a.json", "a.png")


def write_all(folder: Path) -> None:
    """All files, the first in the place of another."""
    with replace_files(*(folder / name for name in FILES)) as made:
        for name in FILES:
            (made / name).write_text("new")


@pytest.mark.parametrize("links", [True, False])
def test_of_several_files_all_take_their_places_or_none(tmp_path, monkeypatch, links):
    really = os.replace

    def full(made, final):
        if final.name == "a.json" and "a.html" in contents(tmp_path):
            raise OSError(errno.ENOSPC, "No space left on device")
        really(made, final)

    def no_links(*_, **__):
        raise OSError(errno.EPERM, "Operation not permitted")

    (tmp_path / "a.html").write_text("old")
    if not links:
        monkeypatch.setattr(os, "link", no_links)
    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match=r"No space left on device: .*a\.json"):
        write_all(tmp_path)
    assert contents(tmp_path) == {"a.html": "old"}
    monkeypatch.setattr(os, "replace", really)
    write_all(tmp_path)
    assert contents(tmp_path) == dict.fromkeys(FILES, "new")


def test_one_of_several_that_was_not_written_replaces_nothing(tmp_path):
    (tmp_path / "a.html").write_text("old")
    with (
        pytest.raises(FileNotFoundError, match=r"a\.csv"),
        replace_files(tmp_path / "a.html", tmp_path / "a.csv") as made,
    ):
        (made / "a.html").write_text("new")
    assert contents(tmp_path) == {"a.html": "old"}


@pytest.mark.skipif(os.name == "nt", reason="modes are POSIX's")
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666, 0o444])
def test_a_file_keeps_its_mode_when_it_is_replaced(tmp_path, mode):
    file = tmp_path / "a.csv"
    file.write_text("old")
    file.chmod(mode)
    with replace_file(file) as temporary:
        temporary.write_text("new")
        assert not temporary.stat().st_mode & 0o077 & ~mode  # nobody else reads it on its way
    assert file.stat().st_mode & 0o777 == mode
    put_text(file, "newer")
    assert (file.read_text(), file.stat().st_mode & 0o777) == ("newer", mode)


def test_a_folder_is_replaced_by_the_whole_new_one(tmp_path, monkeypatch):
    final = tmp_path / "shard"
    final.mkdir()
    (final / "0.png").write_text("old")
    fsync = os.fsync

    def flush(file):
        assert (final / "0.png").read_text() == "old"
        fsync(file)

    with monkeypatch.context() as patch, replace_folder(final) as folder:
        patch.setattr(os, "fsync", flush)
        (folder / "0.png").write_text("new")
        assert (final / "0.png").read_text() == "old"
    assert contents(tmp_path) == {"shard/0.png": "new"}

    really = Path.rename

    def full(made, name):
        if name == final and made.name.endswith(f".{os.getpid()}.tmp"):
            raise OSError(errno.ENOSPC, "No space left on device")
        return really(made, name)

    monkeypatch.setattr(Path, "rename", full)
    with pytest.raises(OSError, match="No space left"), replace_folder(final) as folder:
        (folder / "0.png").write_text("newer")
    assert contents(tmp_path) == {"shard/0.png": "new"}


@pytest.fixture
def dead():
    """The number of a process that is no more."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


@pytest.mark.skipif(os.name == "nt", reason="there nobody asks whether a process lives")
@pytest.mark.parametrize("data", [b"same", b"another"])
def test_who_writes_a_file_again_removes_what_a_killed_process_left_of_it(tmp_path, dead, data):
    file = tmp_path / "a[1].csv"
    put_bytes(file, b"same")
    for number in (dead, os.getpid()):
        left = tmp_path / f".a[1].csv.{number}.tmp"
        left.mkdir()
        (left / "a[1].csv").write_text("half")
    (tmp_path / f".a[1].csv.{dead}.old.tmp").mkdir()
    others = [f".a1.csv.{dead}.tmp", f".b.csv.{dead}.tmp", f".a[1].csv.{os.getppid()}.tmp"]
    for name in (*others, ".a[1].csv.notes.tmp"):
        (tmp_path / name).write_text("not ours to remove")
    put_bytes(file, data)
    assert sorted(contents(tmp_path)) == sorted(["a[1].csv", *others, ".a[1].csv.notes.tmp"])
