"""What is opened is a regular file, and no larger than it may be."""

import os
import socket
from pathlib import Path

import pytest

from gnomon import files, jsons

KINDS = {
    "pipe": (os.mkfifo, "is a pipe, not a regular file: write its contents to a file"),
    "zero": (lambda place: place.symlink_to("/dev/zero"), "is a device, not a regular file"),
    "folder": (Path.mkdir, "is a folder, not a regular file$"),
    "socket": (lambda place: socket.socket(socket.AF_UNIX).bind(str(place)), "is a socket"),
}
READERS = (
    files.open_bytes,
    files.open_text,
    files.open_to_append,
    lambda place: files.read_bytes(place, "a note"),
    lambda place: files.read_text(place, "a note"),
)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.filterwarnings("ignore::ResourceWarning")  # of the socket, which is left
def test_what_is_no_regular_file_is_refused_by_its_kind(tmp_path, monkeypatch, kind):
    monkeypatch.chdir(tmp_path)  # the path of a socket has 107 characters at most
    make, told = KINDS[kind]
    make(Path(kind))
    for read in READERS:
        if read is files.open_to_append and kind == "folder":
            continue  # the system refuses it
        with pytest.raises(ValueError, match=f"^{kind} {told}"):
            read(Path(kind))


def test_a_link_to_a_regular_file_is_one(tmp_path):
    (tmp_path / "a").write_text("\ufeffa", encoding="utf-8")
    (tmp_path / "b").symlink_to("a")
    assert files.read_text(tmp_path / "b", "a note") == "a"


def test_a_file_too_large_is_told_with_its_size_and_the_limit(tmp_path):
    file = tmp_path / "a"
    file.write_bytes(bytes(1000))
    assert files.read_bytes(file, "a note", limit=1000) == bytes(1000)
    with pytest.raises(ValueError, match="a: it has 1,000 bytes, but the limit for a note is 999"):
        files.read_bytes(file, "a note", limit=999)
    with pytest.raises(ValueError, match="a: it has 1,000 bytes, and gnomon reads at most 999"):
        files.open_text(file, limit=999)


def test_a_file_of_the_system_has_no_size_until_it_is_read():
    if not (maps := Path("/proc/self/maps")).exists():
        pytest.skip("no /proc here")
    assert maps.stat().st_size == 0
    with pytest.raises(ValueError, match="maps: it has 100 bytes, but the limit for a note is 99"):
        files.read_bytes(maps, "a note", limit=99)


@pytest.mark.parametrize("opens", [files.open_bytes, files.open_text])
def test_lines_come_with_their_ends_up_to_one_too_long(tmp_path, opens):
    (tmp_path / "a").write_text("12\n\n1234\n5")
    with opens(tmp_path / "a") as opened:
        whole = list(files.read_lines(opened, limit=5))
    with opens(tmp_path / "a") as opened:
        assert whole == list(opened)
    with (
        opens(tmp_path / "a") as opened,
        pytest.raises(ValueError, match="a: line 3 is longer than 4 characters"),
    ):
        list(files.read_lines(opened, limit=4))


@pytest.mark.parametrize("text", ["[{}, {}, {}]", b"[[], [], []]", '{"a": [{"b": {"c": {}}}]}'])
def test_a_json_of_more_objects_than_fit_is_refused_before_it_takes_its_memory(monkeypatch, text):
    monkeypatch.setattr(jsons, "_OBJECTS", 3)
    with pytest.raises(ValueError, match=r"^a: it has more than 3 objects .* split it"):
        jsons.loads(text, "a")
    assert jsons.loads("[[], []]", "a") == [[], []]
