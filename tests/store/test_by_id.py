"""Samples by id, and ids without pictures."""

from itertools import pairwise

import pytest

from gnomon import store
from gnomon.generators.clock import Clock
from gnomon.recipe import Source
from gnomon.store.samples import evenly_spaced


def test_ids_are_known_without_drawing(monkeypatch, tmp_path):
    clocks = Source(kind="clock", options={"size": 84})
    sums = Source(kind="arithmetic")
    mixed = store.mixture((clocks, sums), split="test", seed=0)
    store.write(mixed, tmp_path / "d", n=12, split="test", workers=1)
    held = store.open(tmp_path / "d", "test")
    expected = [mixed[i].id for i in range(12)]
    assert [held.id(i) for i in range(12)] == expected

    def refuse(*_):
        raise AssertionError("a picture was drawn")

    monkeypatch.setattr(Clock, "draw", refuse)
    assert [mixed.id(i) for i in range(12)] == expected
    by_id = store.SamplesById(mixed, 12)
    assert list(by_id) == expected
    assert len(by_id) == 12


def test_a_sample_is_drawn_when_it_is_asked_for():
    samples = store.mixture((Source(kind="arithmetic"),), split="test", seed=0)
    by_id = store.SamplesById(samples, 5)
    assert by_id[samples[3].id] == samples[3]
    assert by_id.get("nobody") is None
    with pytest.raises(KeyError):
        by_id[samples[7].id]


@pytest.mark.parametrize(("n", "most"), [(0, 4), (3, 4), (7, 4), (47, 24), (100, 24)])
def test_evenly_spaced_indices_come_from_all_parts(n, most):
    indices = evenly_spaced(n, most)
    assert len(indices) == min(n, most)
    # The ends and all gaps are at most as long as a part.
    assert all(0 < b - a <= -(-n // most) for a, b in pairwise([*indices, n]))
