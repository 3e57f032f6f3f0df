"""What every kind promises, held for every registered kind."""

from __future__ import annotations

import json
import pickle
import random
import subprocess
import sys
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from gnomon import generators
from gnomon.generators import KINDS, create
from gnomon.recipe import RecipeError
from gnomon.sample import Sample, target_from_json, target_to_json

N = 200
kinds = pytest.mark.parametrize("kind", KINDS)


def pixels(sample: Sample) -> bytes:
    return b"" if sample.image is None else sample.image.tobytes()


def seen(sample: Sample) -> tuple[object, ...]:
    return pixels(sample), sample.question, sample.target, json.dumps(sample.facts)


@kinds
def test_sample_i_alone_is_sample_i_in_the_stream(kind):
    stream = list(islice(create(kind), N))
    for index in (N - 1, 0, 17, 3):
        assert seen(create(kind)[index]) == seen(stream[index])
        assert stream[index].id == create(kind)[index].id


@kinds
def test_ids_are_unique_whatever_the_split_and_seed(kind):
    ids = [
        create(kind, split=split, seed=seed)[index].id
        for split in ("train", "val", "test")
        for seed in (0, 1)
        for index in range(20)
    ]
    assert len(set(ids)) == len(ids)


@kinds
def test_other_seeds_draw_other_samples(kind):
    first, second = ({seen(create(kind, seed=s)[i]) for i in range(N)} for s in (0, 1))
    # Small sums repeat by chance; pictures never do.
    assert len(first & second) < N / 10
    assert not any(image for image, *_ in first & second)


@kinds
def test_global_random_state_does_not_matter(kind):
    before = [seen(create(kind)[i]) for i in range(20)]
    random.seed(5)
    np.random.seed(5)  # noqa: NPY002
    assert [seen(create(kind)[i]) for i in range(20)] == before


@kinds
def test_the_hash_seed_of_python_does_not_matter(kind):
    code = (
        "import hashlib\nfrom gnomon.generators import create\n"
        f"s = [create({kind!r})[i] for i in range(8)]\n"
        "print(hashlib.sha256(b''.join((x.image.tobytes() if x.image else b'') + "
        "repr((x.id, x.question, x.target, x.facts)).encode() for x in s)).hexdigest())"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PATH": ""},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert len(printed) == 1


@kinds
def test_everything_serialises_and_comes_back(kind):
    generator = create(kind)
    again = pickle.loads(pickle.dumps(generator))
    assert again == generator
    assert create(kind, **generator.options) == generator
    for index in range(20):
        sample = generator[index]
        assert json.loads(json.dumps(sample.facts, allow_nan=False)) == sample.facts
        assert target_from_json(target_to_json(sample.target)) == sample.target


@kinds
def test_no_meaning_stands_in_two_splits(kind):
    # What a split may mean does not depend on the seed, so that keys are enough.
    generator = create(kind)
    train = {generator.key(i) for i in range(100_000)}
    for split in ("val", "test"):
        held_out = create(kind, split=split, seed=7)
        assert not train & {held_out.key(i) for i in range(20_000)}


@kinds
def test_misspelt_options_are_refused_by_name(kind):
    with pytest.raises(RecipeError, match="no such key; did you mean"):
        create(kind, splitt="train")
    with pytest.raises(RecipeError, match="split"):
        create(kind, split="training")


@kinds
def test_indices_count_from_0(kind):
    with pytest.raises(IndexError, match="count from 0"):
        create(kind)[-1]


def test_kinds_are_the_files():
    folder = Path(generators.__file__).parent
    ground = {"base", "rng", "sheet"}
    files = {f.stem for f in folder.glob("*.py") if not f.stem.startswith("_")} - ground
    assert files == set(KINDS)


def test_an_unknown_kind_lists_the_nearest():
    with pytest.raises(ValueError, match="'clok': did you mean clock"):
        create("clok")
