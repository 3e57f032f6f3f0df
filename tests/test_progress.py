"""A bar on a terminal; elsewhere whole lines, half a minute apart; nothing where it is quiet."""

import io
from types import SimpleNamespace

import pytest
from tqdm import tqdm

from gnomon import progress
from gnomon.progress import note, track


class Screen(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    """The time, to be set by hand."""
    now = SimpleNamespace(at=1000.0)
    monkeypatch.setattr("tqdm.std.time", lambda: now.at)
    return now


def test_without_a_terminal_a_line_comes_at_most_every_30_seconds(clock, capsys):
    with track(total=40, initial=4, desc="answers") as bar:
        for _ in range(18):
            clock.at += 5
            bar.update(2)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "answers: 16 of 40 [00:30<01:00,  2.50s/it]"
    assert [line.partition(" [")[0] for line in lines[1:]] == [
        "answers: 28 of 40",
        "answers: 40 of 40",
    ]


def test_a_job_within_another_adds_no_lines_and_a_short_one_has_none(clock, capsys):
    for _ in track(range(30), desc="shards", unit=" shards"):
        for _item in track("abcd", desc="rows"):
            clock.at += 1
    lines = capsys.readouterr().err.splitlines()
    assert [line.partition(" [")[0] for line in lines] == [
        "shards: 8 of 30",
        "shards: 16 of 30",
        "shards: 24 of 30",
    ]


def test_a_job_without_an_end_and_one_with_figures(clock, capsys):
    bar = track(iter("abc"), desc="rows", unit=" rows")
    bar.set_postfix({"loss": 3.14159, "ce": 2.0}, refresh=False)
    clock.at += 31
    assert list(bar) == list("abc")
    assert capsys.readouterr().err == "rows: 1 [00:31, 31.00s/ rows, loss=3.14, ce=2]\n"


def test_on_a_terminal_it_is_a_bar(monkeypatch):
    monkeypatch.setattr("sys.stderr", screen := Screen())
    assert list(track([1, 2], desc="answers")) == [1, 2]
    assert "\ranswers: 100%|" in screen.getvalue()


@pytest.mark.parametrize("screen", [Screen, io.StringIO])
def test_quiet_is_quiet(monkeypatch, clock, screen):
    monkeypatch.setattr(progress, "quiet", True)
    monkeypatch.setattr("sys.stderr", said := screen())
    for _ in track(range(3), desc="answers"):
        clock.at += 60
    bar = track(total=3, desc="steps")
    assert isinstance(bar, tqdm)
    bar.set_postfix({"loss": 1.0})
    bar.update(3)
    note("— scoring")
    assert said.getvalue() == ""
