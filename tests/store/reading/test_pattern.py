from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.store.reading.mixture import BLOCK, Pattern, shares

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
    places = [pattern.place_of(i) for i in range(block * BLOCK, (block + 1) * BLOCK)]
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


def test_a_weight_that_would_never_appear_is_refused():
    with pytest.raises(ValueError, match=r"weight=0\.0001 of 1\.0001 in all .* never appear"):
        shares([1, 0.0001])
