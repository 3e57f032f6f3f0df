"""What a sheet shows of a table: rows at random, labels spread, another choice for another seed."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal

import pytest
from store_toys import Listed, toys

from gnomon import store
from gnomon.sample import Number, Sample
from gnomon.store.reading.mixture import spread


def ordered(labels):
    """Samples sorted by label, as spreadsheets often are."""
    return Listed(
        tuple(Sample(f"{i}", None, "?", Number(Decimal(a))) for i, a in enumerate(sorted(labels)))
    )


def test_a_sorted_table_shows_every_label():
    samples = ordered([i % 10 for i in range(5000)])
    for seed in range(3):
        places = spread(samples, 16, seed=seed)
        assert len(set(places)) == 16
        counts = Counter(samples[place].target.value for place in places)
        assert sorted(counts.values()) == [1] * 4 + [2] * 6
    assert spread(samples, 16, seed=0) == spread(samples, 16, seed=0) != spread(samples, 16, seed=1)


def test_a_rare_label_among_those_that_are_looked_at_is_shown():
    samples = ordered([0] * 500 + [1] * 3)
    assert 1 in {samples[place].target.value for place in spread(samples, 16, seed=0)}


def test_of_few_all_are_shown_in_order_and_of_what_has_no_end_the_first():
    assert spread(ordered(range(5)), 5, seed=1) == spread(ordered(range(5)), 9, seed=1)
    assert spread(ordered(range(5)), 5, seed=1) == [0, 1, 2, 3, 4]
    assert spread(toys(), 3, seed=1) == [0, 1, 2]


@pytest.mark.parametrize("form", ["parquet", "imagefolder", "webdataset"])
def test_a_target_is_that_of_the_sample(tmp_path, form):
    store.write(toys(), tmp_path, n=12, format=form)
    written = store.open(tmp_path)
    assert [written.target(i) for i in range(12)] == [sample.target for sample in written]
