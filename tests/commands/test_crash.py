"""A command that is struck and typed again comes to what it would have come to.

`make crash` strikes every command more often and prints the table; here are a few strikes.
"""

import shutil
import sys

import pytest

from benchmarks.crash.injection import Injector, server_of_one_answer
from benchmarks.crash.pairs import Duel
from benchmarks.crash.scenes import BY_NAME, PAIRS, Pair
from benchmarks.crash.trial import (
    Stage,
    differing_files,
    is_progress,
    leftovers,
    lost,
    pick_evenly,
    places_to_strike,
    torn,
)

needs_shim = [
    pytest.mark.skipif(sys.platform != "linux", reason="the shim counts calls of Linux"),
    pytest.mark.skipif(shutil.which("cc") is None, reason="no compiler for the shim"),
]
BRIEF = [
    "generate parquet", "generate mends imagefolder", "cp", "preview", "export trl", "score",
    "predict by a server",
]  # fmt: skip
"""Scenes of a second or two per strike."""
MORE = ["generate another split", "score over a report", "predict photographs", "train"]
SLOW, LONG = [*needs_shim, pytest.mark.slow], [*needs_shim, pytest.mark.long]


@pytest.fixture(scope="module")
def injector(tmp_path_factory):
    with Injector(tmp_path_factory.mktemp("warm")) as warm:
        yield warm


@pytest.fixture(scope="module")
def url():
    with server_of_one_answer() as server:
        yield server


@pytest.mark.parametrize(
    "name",
    [
        *(pytest.param(name, marks=SLOW) for name in BRIEF),
        *(pytest.param(name, marks=LONG) for name in MORE),
    ],
)
def test_what_was_struck_is_finished_by_the_same_command(tmp_path, injector, url, name):
    stage = Stage(BY_NAME[name], injector, tmp_path, url)
    few = {"kill": 2, "tear": 1, "full": 1}
    results = [each for strike in stage.strikes(few) if (each := stage.try_strike(strike))]
    assert len(results) == 4
    assert not [(str(r.strike), r.operation, r.faults) for r in results if r.faults]


@pytest.mark.parametrize(
    "pair",
    [
        pytest.param(PAIRS[n], id=PAIRS[n].name, marks=SLOW if n == 9 else LONG)
        for n in (1, 4, 9, 10)
    ],
)
def test_two_on_one_place_end_as_one_after_the_other(tmp_path, injector, pair):
    duel = Duel(Pair(pair.first, pair.second, pair.prepare, 2), injector, tmp_path)
    meetings = list(duel.meetings())
    assert len(meetings) == 4
    assert not [(str(m.strike), m.operation, m.faults) for m in meetings if m.faults]


def test_what_is_lost_torn_and_left_is_seen():
    before = {"a.csv": b"old", "keep.txt": b"mine", "d": None, "log.jsonl": b"{}\n"}
    after = {**before, "a.csv": b"new", "b.md": b"whole", "log.jsonl": b"{}\n{}\n"}
    sound = {**after, "log.jsonl": b"{}\n{", ".a.csv.7.tmp": None, ".a.csv.7.tmp/a.csv": b"ne"}
    assert not lost(before, sound, after)
    assert not torn(sound, after, before)
    assert leftovers(sound, after) == [".a.csv.7.tmp", ".a.csv.7.tmp/a.csv"]
    assert differing_files(sound, after) == ["log.jsonl"]
    broken = {"a.csv": b"ne", "keep.txt": b"mine", "log.jsonl": b"", "b.md": b"who"}
    assert lost(before, broken, after) == ["a.csv", "d", "log.jsonl"]
    assert torn(broken, after, before) == ["a.csv", "b.md"]
    assert torn(broken, after, {**before, "b.md": b"who"}) == ["a.csv"]
    assert lost(before, broken, after, damaged="d") == ["a.csv", "log.jsonl"]
    partial = {"a.csv.part": b"", ".a.csv.part": b"", "b.tmp": b""}
    assert leftovers(partial, {}) == ["a.csv.part", ".a.csv.part"]
    assert [is_progress(name) for name in partial] == [True, False, False]
    times = b'{"step": 1, "train_runtime": %s, "loss": 0.5}\n'
    assert not differing_files({"log.jsonl": times % b"2.5"}, {"log.jsonl": times % b"1e-3"})
    assert not differing_files({"log.jsonl": b"{}\n"}, {"log.jsonl": b"{}\n" + times % b"2.5"})
    assert differing_files({}, {"log.jsonl": times % b"2.5"}) == ["log.jsonl"]
    assert differing_files({"log.jsonl": b'{"loss": 1}'}, {"log.jsonl": b'{"loss": 2}'})


def test_strikes_are_spread_over_the_operations():
    operations = [("open", "/a"), *[("write", "/a")] * 9, ("rename", "/b")]
    assert list(places_to_strike(operations)) == [1, 2, 6, 10, 11]
    assert pick_evenly([1, 2, 6, 10, 11], 3) == [1, 6, 11]
    assert pick_evenly([1, 2], 9) == [1, 2]
