"""One writer at a time, in processes of their own."""

import errno
import fcntl
import os
import signal
import socket

import pytest
from command_toys import gnomon
from second_process import holding

from gnomon.store import lock
from gnomon.store.lock import sole_writer

PLACES = ["report.html", "run"]
"""A file and a folder."""


def hold(place):
    return sole_writer(place, folder=not place.suffix)


def left(folder):
    return [file for file in folder.rglob("*") if file.name != "run"]


@pytest.mark.parametrize("name", PLACES)
def test_a_second_process_is_refused_and_told_which_holds_the_place(tmp_path, name):
    place = tmp_path / name
    with holding(place) as process:
        held = rf"{name} is being written by process {process.pid} on {socket.gethostname()}"
        with pytest.raises(ValueError, match=rf"{held} since 20\d\d-.*: wait .* \(out\)"):
            hold(place).__enter__()
        with hold(tmp_path / "another.html"), hold(tmp_path / "another"):
            pass
    with hold(place):
        assert left(tmp_path)
    assert left(tmp_path) == []


@pytest.mark.parametrize("name", PLACES)
def test_a_killed_process_holds_nothing_whatever_it_left(tmp_path, name):
    place = tmp_path / name
    with holding(place) as process:
        process.send_signal(signal.SIGKILL)
        process.wait()
    notes = [file for file in left(tmp_path) if file.suffix == ".txt"]
    assert len(left(tmp_path)) == 2 * len(notes)  # locks, and what says who held them
    with hold(place):
        for note in notes:
            assert f"process {os.getpid()} on" in note.read_text()
    assert left(tmp_path) == []


@pytest.mark.parametrize(("first", "second"), [(True, False), (False, True)])
def test_a_place_is_one_whatever_is_to_be_made_of_it(tmp_path, first, second):
    """`generate --out X` fills a directory, and `export --out X` makes one."""
    with (
        holding(tmp_path / "X", folder=first),
        pytest.raises(ValueError, match="X is being written by process"),
    ):
        sole_writer(tmp_path / "X", folder=second).__enter__()


def test_of_several_places_all_are_held_or_none(tmp_path):
    places = [tmp_path / name for name in ("a.html", "a.csv", "a.png")]
    with holding(places[1]), pytest.raises(ValueError, match=r"a\.csv is being written"):
        sole_writer(*places).__enter__()
    assert left(tmp_path) == []


def test_a_directory_in_one_that_may_not_be_written_to_is_locked_inside(tmp_path, monkeypatch):
    """As one that is mounted at the root of a container is."""
    acquired = lock._acquire

    def forbidden(held, place, note):
        if note.parent == tmp_path:
            raise PermissionError(errno.EACCES, "Permission denied", str(note))
        return acquired(held, place, note)

    monkeypatch.setattr(lock, "_acquire", forbidden)
    with pytest.raises(PermissionError, match="run'"):
        hold(tmp_path / "run").__enter__()
    (tmp_path / "run").mkdir()
    with hold(tmp_path / "run"):
        assert (tmp_path / "run" / lock.LOCK).exists()


def test_who_holds_a_place_removes_what_was_left_of_it_whatever_lives(tmp_path):
    """The number of a dead process may be a living one's by now."""
    name = f".run.{os.getppid()}.tmp"
    for file in (name, f".run.html.{os.getppid()}.tmp", ".run.notes.tmp"):
        (tmp_path / file).touch()
    with hold(tmp_path / "run"):
        assert name not in os.listdir(tmp_path)
    assert len(os.listdir(tmp_path)) == 2


def test_a_process_holds_a_place_as_often_as_it_likes(tmp_path):
    """`run` holds the directory for which `train` asks inside it."""
    place = tmp_path / "run"
    with hold(place):
        with hold(place):
            pass
        assert left(place)
    assert not place.exists()


def test_a_folder_made_for_a_lock_stays_where_something_was_written(tmp_path):
    place = tmp_path / "deep" / "down" / "report.html"
    with hold(place):
        pass
    assert not (tmp_path / "deep").exists()
    with hold(place):
        place.write_text("it")
    assert os.listdir(place.parent) == ["report.html"]


def test_a_link_and_its_file_are_one_place(tmp_path):
    (tmp_path / "real.html").touch()
    (tmp_path / "link.html").symlink_to("real.html")
    with holding(tmp_path / "real.html"), pytest.raises(ValueError, match=r"link\.html is being"):
        hold(tmp_path / "link.html").__enter__()


def test_who_holds_it_is_unknown_for_a_moment(tmp_path):
    place = tmp_path / "run"
    with holding(place):
        (tmp_path / ".run.lock.txt").unlink()
        with pytest.raises(ValueError, match="is being written by another process:"):
            hold(place).__enter__()


@pytest.mark.parametrize("code", [errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP])
def test_a_file_system_without_locks_is_told_once_and_written_to(
    tmp_path, monkeypatch, capsys, code
):
    def no_locks(*_):
        raise OSError(code, os.strerror(code))

    lock._warn_unlocked.cache_clear()
    monkeypatch.setattr(fcntl, "flock", no_locks)
    with hold(tmp_path / "run"), hold(tmp_path / "run" / "report.html"):
        (tmp_path / "run" / "report.html").write_text("it")
    told = capsys.readouterr().err
    assert told.count("this file system has no locks") == 1
    assert os.strerror(code) in told


@pytest.mark.parametrize(
    ("place", "reason"),
    [
        ("file", "a file is in the way of the directory"),
        ("file/run", "a file is in the way of the directory"),
        ("/proc/run", "the directory cannot be created"),
    ],
)
def test_a_place_that_cannot_be_made_is_no_matter_of_locks(
    tmp_path, monkeypatch, capsys, place, reason
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    for words in (("train", "demo"), ("generate", "clock", "--n", 2)):
        assert gnomon(*words, "--out", place) == 1
        assert f"gnomon: {place}: {reason}: name another place (--out)" in capsys.readouterr().err
