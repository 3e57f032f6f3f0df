"""A command that is struck and typed again comes to what it would have come to.

`make crash` strikes every command more often and prints the table; here are a few strikes.
"""

import os
import shutil
import subprocess
import sys

import pytest

from benchmarks.crash.injection import NONE, Injector, Strike, compile_shim, server_of_one_answer
from benchmarks.crash.pairs import Duel
from benchmarks.crash.scenes import BY_NAME, PAIRS, Pair
from benchmarks.crash.trial import (
    Stage,
    describe_operation,
    differing_files,
    is_progress,
    leftovers,
    lost,
    pick_evenly,
    places_to_strike,
    read_files,
    torn,
)

needs_shim = [
    pytest.mark.skipif(sys.platform != "linux", reason="the shim counts calls of Linux"),
    pytest.mark.skipif(shutil.which("cc") is None, reason="no compiler for the shim"),
]
BRIEF = ["generate parquet", "generate mends imagefolder", "cp", "score", "predict by a server"]
"""Scenes of a second or two per strike."""
MORE = [
    "generate another split", "preview", "export trl", "score over a report", "predict photographs",
    "train",
]  # fmt: skip
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


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=LONG) for n in ("generate parquet", "score")]
)
def test_a_fork_does_what_a_command_of_its_own_does(tmp_path, injector, name):
    """The same operations on the same files, and the same files after the same kill."""
    stage = Stage(BY_NAME[name], injector, tmp_path / "fork")
    operations = [describe_operation(each) for each in stage.undisturbed.operations]
    at = len(operations) // 2
    stage.reset()
    assert stage.run(Strike("kill", at)).killed
    forked = read_files(stage.folder)
    for strike, expected in ((NONE, stage.after), (Strike("kill", at), forked)):
        stage.reset()
        with injector.plan(stage.folder, strike) as plan:
            environment = {
                **os.environ, "LD_PRELOAD": str(compile_shim(injector.scratch)),
                "STRIKE_PLAN": str(plan.file), "OMP_NUM_THREADS": "1",
            }  # fmt: skip
            words = [sys.executable, "-m", "gnomon", *stage.words]
            ended = subprocess.run(words, cwd=stage.folder, env=environment, capture_output=True)
            operations_of_process = [describe_operation(each) for each in plan.operations]
        assert ended.returncode == (0 if strike is NONE else -9)
        assert operations_of_process == operations[: strike.at or None]
        assert {describe_operation(("", name)) for name in read_files(stage.folder)} == {
            describe_operation(("", name)) for name in expected
        }
        assert not differing_files(read_files(stage.folder), expected)


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
