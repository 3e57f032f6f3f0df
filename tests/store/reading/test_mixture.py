import pickle
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from store_toys import Toy, toys

from gnomon import store
from gnomon.recipe import Source

SMALL = Source(kind="toy", weight=3, options={"size": 8})
LARGE = Source(kind="toy", weight=1, options={"size": 16})


@pytest.fixture
def directory(tmp_path):
    store.write(toys(seed=5), tmp_path / "seven", n=7)
    return Source(path=str(tmp_path / "seven"), weight=1)


def test_one_source_is_itself(directory):
    drawn = store.mixture((LARGE,), split="val", seed=3)
    assert drawn.generator == Toy(size=16, split="val", seed=3)
    assert drawn.length is None
    assert store.mixture((directory,), split="train", seed=3).length == 7


def test_shares_are_exact_and_no_sample_comes_twice():
    mixed = store.mixture((SMALL, LARGE), split="train", seed=1)
    samples = [mixed[i] for i in range(400)]
    assert Counter(s.image.size[0] for s in samples) == {8: 300, 16: 100}
    assert len({s.id for s in samples}) == 400
    assert Counter(mixed.place_of(i)[0] for i in range(1000)) == {0: 750, 1: 250}


@settings(max_examples=20)
@given(st.lists(st.floats(0.1, 1), min_size=2, max_size=4), st.integers(0, 2))
def test_places_of_a_source_never_repeat(weights, seed):
    sources = tuple(toys(size=8 + k) for k in range(len(weights)))
    mixed = store.Mixture(sources, tuple(weights), seed=seed)
    places = [mixed.place_of(i) for i in range(2500)]
    assert len(set(places)) == 2500


def test_a_directory_is_read_through_before_it_begins_again_in_another_order(directory):
    mixed = store.mixture((directory, LARGE), split="train", seed=0)
    places = [place for source, place in map(mixed.place_of, range(200)) if source == 0]
    passes = [places[start : start + 7] for start in range(0, 98, 7)]
    assert all(sorted(one) == list(range(7)) for one in passes)
    assert len(set(map(tuple, passes))) > 10


@pytest.mark.parametrize("weight", [0.3, 1, 2.5, 40])
def test_it_says_how_many_come_before_one_comes_again(directory, weight):
    source = Source(path=directory.path, weight=weight)
    mixed = store.mixture((LARGE, source), split="train", seed=0)
    places = [mixed.place_of(i) for i in range(mixed.n_distinct + 1)]
    assert len(set(places)) == mixed.n_distinct
    assert store.mixture((SMALL, LARGE), split="train", seed=0).n_distinct is None
    assert store.mixture((directory,), split="train", seed=0).n_distinct == 7


def test_the_same_position_is_the_same_sample_in_any_order_and_copy(directory):
    mixed = store.mixture((SMALL, directory), split="train", seed=2)
    forward = [mixed[i] for i in range(60)]
    copy = pickle.loads(pickle.dumps(mixed))
    assert [copy[i] for i in reversed(range(60))] == forward[::-1]


def test_the_description_tells_mixtures_apart(directory):
    def described(*sources, seed=0):
        return store.mixture(sources, split="train", seed=seed).describe()

    one = described(SMALL, directory)
    assert one == described(SMALL, directory)
    assert one != described(SMALL, directory, seed=1)
    assert one != described(LARGE, directory)
    assert one != described(Source(kind="toy", weight=4, options={"size": 8}), directory)


def test_too_small_a_weight_is_refused_before_anything_is_drawn():
    rare = Source(kind="toy", weight=1e-5)
    with pytest.raises(ValueError, match="never appear"):
        store.mixture((SMALL, rare), split="train", seed=0)


def test_what_is_set_for_all_sources_is_no_option_of_one():
    with pytest.raises(ValueError, match=r"options\.seed"):
        store.mixture((Source(kind="toy", options={"seed": 1}),), split="train", seed=0)
