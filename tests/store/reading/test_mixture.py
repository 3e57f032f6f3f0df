"""Mixtures of weighted sources, and the orders that they need no table for."""

import pickle
from collections import Counter
from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from store_toys import Listed, Toy, toys

from gnomon import store
from gnomon.recipe import Source
from gnomon.sample import Number, Sample
from gnomon.store.reading.mixture import BLOCK, Pattern, shares, shuffled_index, varied_indices

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
    assert Counter(mixed.source_and_index(i)[0] for i in range(1000)) == {0: 750, 1: 250}


def test_a_directory_is_read_through_before_it_begins_again_in_another_order(directory):
    mixed = store.mixture((directory, LARGE), split="train", seed=0)
    places = [place for source, place in map(mixed.source_and_index, range(200)) if source == 0]
    passes = [places[start : start + 7] for start in range(0, 98, 7)]
    assert all(sorted(one) == list(range(7)) for one in passes)
    assert len(set(map(tuple, passes))) > 10


@pytest.mark.parametrize("weight", [0.3, 1, 2.5, 40])
def test_it_says_how_many_come_before_one_comes_again(directory, weight):
    source = Source(path=directory.path, weight=weight)
    mixed = store.mixture((LARGE, source), split="train", seed=0)
    places = [mixed.source_and_index(i) for i in range(mixed.n_distinct + 1)]
    assert len(set(places)) == mixed.n_distinct
    assert store.mixture((SMALL, LARGE), split="train", seed=0).n_distinct is None
    assert store.mixture((directory,), split="train", seed=0).n_distinct == 7


def test_a_whole_mixture_has_each_sample_once_and_begins_as_the_endless_one(tmp_path):
    """Five, seven and forty samples; the second source's are wanted four times as often."""
    sources = []
    for n, weight in ((5, 1), (7, 4), (40, 1)):
        store.write(toys(seed=n), tmp_path / str(n), n=n)
        sources.append(Source(path=str(tmp_path / str(n)), weight=weight))
    whole, endless = (
        store.mixture(sources, split="train", seed=2, whole=whole) for whole in (True, False)
    )
    assert (whole.length, whole.n_distinct) == (52, 52)
    assert len({sample.id for sample in whole}) == 52
    # There the second source begins again in the endless mixture.
    first = [endless.id(i) for i in range(endless.n_distinct)]
    assert [whole.id(i) for i in range(len(first))] == first
    assert 7 < len(first) < 20
    assert {whole.source_and_index(i)[0] for i in range(37, 52)} == {2}
    assert whole.describe() == endless.describe()
    # Drawings have no end, so the tables begin again beside them.
    assert store.mixture((*sources, LARGE), split="train", seed=2, whole=True).length is None


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


@given(st.integers(1, 300), st.integers())
def test_every_place_is_taken_once(length, key):
    assert sorted(shuffled_index(i, length, key) for i in range(length)) == list(range(length))


def test_another_key_is_another_order_and_a_long_range_needs_no_table():
    orders = {tuple(shuffled_index(i, 50, key) for i in range(50)) for key in range(100)}
    assert len(orders) == 100
    assert 0 <= shuffled_index(123, 10**15, "key") < 10**15


def test_any_value_may_stand_anywhere():
    firsts = [shuffled_index(0, 10, key) for key in range(5000)]
    assert all(400 < firsts.count(value) < 600 for value in range(10))


WEIGHTS = st.lists(st.floats(0.01, 1), min_size=1, max_size=8)


@given(WEIGHTS)
def test_a_block_is_dealt_out_whole_and_within_one_of_the_exact_share(weights):
    dealt = shares(weights)
    assert sum(dealt) == BLOCK
    for weight, count in zip(weights, dealt, strict=True):
        assert abs(count - BLOCK * weight / sum(weights)) < 1 + 1e-9


@given(WEIGHTS, st.integers(0, 3), st.integers(0, 5))
def test_a_source_gets_its_share_of_any_block_and_its_ranks_run_without_gap(weights, seed, block):
    pattern = Pattern(weights, seed)
    places = [pattern.source_and_rank(i) for i in range(block * BLOCK, (block + 1) * BLOCK)]
    for source, share in enumerate(pattern.shares):
        ranks = [rank for owner, rank in places if owner == source]
        assert ranks == list(range(block * share, (block + 1) * share))


@given(st.integers(1, 9), st.integers(0, 3))
def test_simple_shares_hold_in_a_short_stretch_too(tenths, seed):
    pattern = Pattern([tenths, 10 - tenths], seed)
    assert Counter(map(pattern.source_of, range(50))) == {0: 5 * tenths, 1: 50 - 5 * tenths}


def test_the_order_is_mixed_and_depends_on_the_seed():
    one, other = ([Pattern([1, 1], seed).source_of(i) for i in range(BLOCK)] for seed in (0, 1))
    assert one != other
    repeated = sum(a == b for a, b in pairwise(one))
    assert 150 < repeated < 350  # pairs are shuffled: half of the seams repeat, so a quarter


def test_what_no_mixture_can_have_is_refused_before_anything_is_drawn():
    with pytest.raises(ValueError, match=r"weight=0\.0001 of 1\.0001 in total .* never be drawn"):
        shares([1, 0.0001])
    with pytest.raises(ValueError, match="never be drawn"):
        store.mixture((SMALL, Source(kind="toy", weight=1e-5)), split="train", seed=0)
    with pytest.raises(ValueError, match=r"options\.seed"):
        store.mixture((Source(kind="toy", options={"seed": 1}),), split="train", seed=0)


def ordered(labels):
    """Samples sorted by label, as spreadsheets often are."""
    return Listed(
        tuple(Sample(f"{i}", None, "?", Number(Decimal(a))) for i, a in enumerate(sorted(labels)))
    )


def test_a_sorted_table_shows_every_label_rare_ones_too():
    samples = ordered([i % 10 for i in range(5000)])
    for seed in range(3):
        places = varied_indices(samples, 16, seed=seed)
        assert len(set(places)) == 16
        counts = Counter(samples[place].target.value for place in places)
        assert sorted(counts.values()) == [1] * 4 + [2] * 6
    one, same, other = (varied_indices(samples, 16, seed=seed) for seed in (0, 0, 1))
    assert one == same != other
    rare = ordered([0] * 500 + [1] * 3)
    assert 1 in {rare[place].target.value for place in varied_indices(rare, 16, seed=0)}


def test_of_few_all_are_shown_in_order_and_of_what_has_no_end_the_first():
    for n in (5, 9):
        assert varied_indices(ordered(range(5)), n, seed=1) == [0, 1, 2, 3, 4]
    assert varied_indices(toys(), 3, seed=1) == [0, 1, 2]
