"""Draws depend on their key alone."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from gnomon.generators.rng import Rng, digest


def test_known_draws():
    # These numbers stand for every dataset drawn so far: another answer here is another dataset.
    rng = Rng("a", 1)
    assert [rng.integer(0, 99) for _ in range(12)] == KNOWN


KNOWN = [3, 3, 55, 85, 3, 24, 16, 13, 16, 89, 98, 65]


def test_parts_are_told_apart():
    assert digest("a", "bc") != digest("ab", "c")
    assert digest("a", "b") != digest("a", "b", "")


@given(st.integers(), st.integers(-50, 50), st.integers(0, 100))
def test_integers_stay_within_both_ends(key, low, width):
    rng = Rng(key)
    assert all(low <= rng.integer(low, low + width) <= low + width for _ in range(50))


@given(st.integers(), st.integers(-50, 50), st.integers(0, 100))
def test_a_pair_of_ends_draws_as_its_ends_do(key, low, width):
    one, other = Rng(key), Rng(key)
    for _ in range(20):
        assert one.within((low, low + width)) == other.integer(low, low + width)


def test_an_index_has_draws_of_its_own_under_the_key():
    # Known ones, as above: an index is drawn by another way than a key made of parts.
    key = digest("a", size=32)
    assert [Rng.at(key, index).integer(0, 99) for index in (0, 1, 2)] == AT
    many = Rng.at(key, 0)
    assert len({many.bits() for _ in range(100)}) == 100


AT = [85, 56, 71]


def test_draws_are_even():
    rng = Rng("even")
    counts = Counter(rng.integer(0, 9) for _ in range(50_000))
    assert all(abs(count - 5000) < 350 for count in counts.values())
    assert abs(sum(rng.unit() for _ in range(20_000)) / 20_000 - 0.5) < 0.01


def test_streams_of_near_keys_have_nothing_in_common():
    one, other = Rng("seed", 1), Rng("seed", 2)
    assert not {one.bits() for _ in range(500)} & {other.bits() for _ in range(500)}
