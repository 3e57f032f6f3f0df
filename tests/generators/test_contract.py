"""What every kind promises, held for every registered kind."""

from __future__ import annotations

import hashlib
import json
import pickle
import random
import subprocess
import sys
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from quick import quick
from solvers import check

from gnomon import generators
from gnomon.generators import KINDS, create, load
from gnomon.generators.clock.clock_questions import ASK
from gnomon.generators.gauge.instruments import DEFAULT_INSTRUMENTS, INSTRUMENTS
from gnomon.sample import Sample, target_from_json, target_to_json

N = 500
SMALL: dict[str, dict[str, Any]] = {
    "chart": {"size": 224},
    "clock": {"size": 84, "questions": [one for one in ASK if one != "date"]},  # a date is small
    "counter": {"size": 160},
    "face": {"size": 240},
    "gauge": {"size": 160, "log": 0.3},
    "mixture": {"parts": [{"kind": "word_problem"}, {"kind": "scene", "options": {"size": 112}}]},
    "scene": {"size": 168},
    "text_spotting": {"size": 224},
}
"""Small pictures: a pixel costs time, not meaning."""
ALL = {kind: load(kind).every_question | SMALL.get(kind, {}) for kind in KINDS}
FEW: dict[str, dict[str, Any]] = {
    "arithmetic": {"tasks": ["add", "subtract", "multiply", "chain", "mixed"], "digits": (6, 9)},
    "mixture": {"parts": [{"kind": "word_problem", "options": {"level": "hard"}}]},
    "word_problem": {"level": "hard"},
}
"""Options under which questions without a picture do not repeat by chance."""
LEVELS = ("easy", "medium", "hard")
SMALLEST = {"chart": 224, "counter": 224, "gauge": 224, "scene": 336, "text_spotting": 448}
WITH_BOXES: dict[str, dict[str, Any]] = {
    "counter": {},
    "gauge": {"instruments": tuple(INSTRUMENTS)},
    "scene": {"size": 336},
    "text_spotting": {},
}
kinds = pytest.mark.parametrize("kind", KINDS)
few = pytest.mark.parametrize("kind", quick(KINDS, "arithmetic", "clock", "gauge"))


def seen(sample: Sample) -> str:
    """All of a sample, as a hash."""
    image = b"" if sample.image is None else sample.image.tobytes()
    told = (sample.id, sample.question, sample.target, sample.rationale, json.dumps(sample.facts))
    return hashlib.sha256(image + repr(told).encode()).hexdigest()


@lru_cache
def stream(kind: str) -> tuple[Sample, ...]:
    """The first 500 samples in order, asked all that can be asked; drawn once for all tests."""
    return tuple(islice(create(kind, **ALL[kind]), N))


@kinds
def test_facts_and_question_lead_to_the_target(kind):
    for sample in stream(kind):
        check(sample)


@kinds
def test_everything_serialises_and_comes_back(kind):
    generator = create(kind, **ALL[kind])
    assert pickle.loads(pickle.dumps(generator)) == generator
    assert create(kind, **generator.options) == generator
    for sample in stream(kind):
        assert json.loads(json.dumps(sample.facts, allow_nan=False)) == sample.facts
        assert "group" not in sample.facts  # a user's own: evaluation takes it for a camera
        assert target_from_json(json.loads(json.dumps(target_to_json(sample.target)))) == (
            sample.target
        )
        assert isinstance(sample.target, generator.targets)


@kinds
def test_a_general_question_is_one_that_it_asks(kind):
    generator = create(kind, **{"size": 84} if kind == "clock" else {})
    if (general := generator.general_question) is not None:
        assert general in {sample.question for sample in generator[:40]}
        every = create(kind, **load(kind).every_question)
        assert every.general_question in (None, general)


@kinds
def test_ids_are_unique_whatever_the_split_and_seed(kind):
    ids = [
        create(kind, split=split, seed=seed).id(index)
        for split in ("train", "val", "test")
        for seed in (0, 1)
        for index in range(20)
    ]
    assert len(set(ids)) == len(ids)
    assert create(kind)[3].id == create(kind).id(3)


@few
def test_other_seeds_share_nothing(kind):
    options = ALL[kind] | FEW.get(kind, {})
    one = islice(create(kind, **options), N) if kind in FEW else stream(kind)
    other = islice(create(kind, seed=1, **options), 200)
    assert not set(map(shown, one)) & set(map(shown, other))


def shown(sample: Sample) -> str:
    """The picture; the question where there is none."""
    image = sample.image
    return sample.question if image is None else hashlib.sha256(image.tobytes()).hexdigest()


@kinds
def test_global_random_state_neither_matters_nor_moves(kind):
    random.seed(5)
    np.random.seed(5)  # noqa: NPY002 - the state that must not matter
    before = random.getstate(), np.random.get_state()[1].tobytes()  # noqa: NPY002
    for index in range(20):
        assert seen(create(kind, **ALL[kind])[index]) == seen(stream(kind)[index])
    assert before == (random.getstate(), np.random.get_state()[1].tobytes())  # noqa: NPY002


@lru_cache
def in_another_process(hash_seed: str) -> dict[str, list[str]]:
    """The hashes of some samples of every kind."""
    code = (
        "import hashlib, json, sys\nfrom gnomon.generators import KINDS, create\n"
        "def seen(s):\n    told = (s.id, s.question, s.target, s.rationale, json.dumps(s.facts))\n"
        "    image = b'' if s.image is None else s.image.tobytes()\n"
        "    return hashlib.sha256(image + repr(told).encode()).hexdigest()\n"
        "every, places = map(json.loads, sys.argv[1:])\n"
        "KINDS.update(places)\n"  # a plug-in may have entered kinds of its own
        "print(json.dumps({k: [seen(create(k, **o)[i]) for i in range(0, 500, 25)]"
        " for k, o in every.items()}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, json.dumps(ALL), json.dumps(KINDS)],
        env={"PYTHONHASHSEED": hash_seed, "PATH": "", "PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        check=True,
    )
    return json.loads(done.stdout)


@kinds
@pytest.mark.parametrize("hash_seed", quick("01", "1"))
def test_neither_the_process_nor_pythons_hash_seed_matters(kind, hash_seed):
    assert in_another_process(hash_seed)[kind] == [seen(s) for s in stream(kind)[::25]]


@few
def test_no_meaning_stands_in_two_splits(kind):
    share_nothing(kind, 4_000)


@pytest.mark.long
@kinds
def test_no_meaning_of_100_000_stands_in_two_splits(kind):
    share_nothing(kind, 100_000)


def share_nothing(kind: str, many: int) -> None:
    """What a split may mean does not depend on the seed, so that keys are enough."""
    train, test, val = (
        set(map(create(kind, split=split, seed=seed).key, range(many)))
        for split, seed in (("train", 0), ("test", 7), ("val", 3))
    )
    assert not train & test
    assert not train & val
    assert not test & val


PHOTOGRAPHED = [
    ("clock", {"clocks": (1, 2), "degrade": "heavy", "warp": 0.1, "questions": ("read", "where")}),
    ("counter", {"level": "hard", "questions": ("read", "wheel", "where"), "degrade": "light"}),
    ("gauge", {"level": "hard", "questions": ("read", "where"), "degrade": "light"}),
    (
        "gauge",
        {
            "instruments": tuple(INSTRUMENTS)[len(DEFAULT_INSTRUMENTS) :],
            "questions": ("read", "find"),
        },
    ),
]


@pytest.mark.parametrize(("kind", "options"), PHOTOGRAPHED)
def test_a_photograph_shows_the_same_in_other_pixels(kind, options):
    """Camera, lamp and dirt are drawn from the sample's own draws, after all that it means."""
    photographs = create(kind, look="photo", **options)
    differences = []
    for index in range(12):
        sample = photographs[index]
        if kind != "gauge":
            check(sample)
        assert seen(create(kind, look="photo", **options)[index]) == seen(sample)
        assert json.loads(json.dumps(sample.facts, allow_nan=False)) == sample.facts
        differences.append(np.asarray(sample.image, float).std())
    assert min(differences) > 5  # no picture is one colour
    assert len({photographs[index].image.tobytes() for index in range(12)}) == 12


@pytest.mark.long
@pytest.mark.parametrize("level", LEVELS)
@kinds
def test_500_of_every_level_keep_the_contract(kind, level):
    if not hasattr(load(kind), "level"):
        pytest.skip("has no levels")
    options = ALL[kind] | {"level": level}
    if kind in SMALLEST:
        options["size"] = SMALLEST[kind]
    for index, sample in enumerate(islice(create(kind, **options), N)):
        check(sample)
        assert json.loads(json.dumps(sample.facts, allow_nan=False)) == sample.facts
        assert target_from_json(target_to_json(sample.target)) == sample.target
        if index % 50 == 0:
            assert seen(create(kind, **options)[index]) == seen(sample)


def boxes(facts: Any) -> list[list[float]]:
    """Boxes anywhere in the facts."""
    if isinstance(facts, list):
        return [box for one in facts for box in boxes(one)]
    found = []
    for name, value in facts.items() if isinstance(facts, dict) else ():
        if name.endswith("box") and value:
            found.append(value)
        elif name.endswith("boxes"):
            found += value
        else:
            found += boxes(value)
    return found


@pytest.mark.parametrize("degrade", quick(["off", "light", "heavy"], "off", "heavy"))
@pytest.mark.parametrize("kind", WITH_BOXES)
def test_every_box_has_a_width_and_lies_in_the_picture(kind, degrade):
    for level in LEVELS:
        for sample in create(kind, level=level, degrade=degrade, **WITH_BOXES[kind])[0:20]:
            width, height = sample.image.size
            assert boxes(sample.facts)
            for x1, y1, x2, y2 in boxes(sample.facts):
                assert -0.1 < x1 < x2 < width + 0.1, (sample.id, sample.facts)
                assert -0.1 < y1 < y2 < height + 0.1, (sample.id, sample.facts)


@kinds
def test_indices_count_from_0(kind):
    with pytest.raises(IndexError, match="count from 0"):
        create(kind)[-1]


def test_a_slice_is_a_list_and_says_where_it_ends():
    """Clock()[0:3] was a TypeError out of a comparison."""
    clocks = create("clock", size=84)
    ids = [sample.id for sample in clocks[1:6:2]]
    assert ids == [clocks.id(1), clocks.id(3), clocks.id(5)]
    assert clocks[3:3] == []
    for endless in (slice(None), slice(2, None), slice(-3, None), slice(0, -1)):
        with pytest.raises(IndexError, match=r"no end; give both ends, such as \[0:3\]"):
            clocks[endless]


def test_an_index_may_be_numpys():
    """As a shuffled order has them."""
    clocks = create("clock", size=84)
    assert clocks[np.int64(2)].id == clocks.id(2)
    with pytest.raises(TypeError, match="'float' object cannot be interpreted as an integer"):
        clocks[2.0]


def test_a_generator_is_told_by_what_was_asked_of_it():
    assert repr(create("clock")) == "Clock()"
    made = create("clock", split="test", size=112, dials=["round"])
    assert repr(made) == "Clock(split='test', size=112, dials=('round',))"
    assert eval(repr(made), {"Clock": type(made)}) == made


def test_kinds_are_the_files():
    folder = Path(generators.__file__).parent
    files = {f"gnomon.generators.{f.parent.name}" for f in folder.glob("*/generator.py")}
    assert files == {place.rpartition(".")[0] for place in KINDS.values()} - {"gnomon.generators"}


def test_an_unknown_kind_lists_the_nearest():
    with pytest.raises(ValueError, match="'clok': did you mean clock"):
        create("clok")
