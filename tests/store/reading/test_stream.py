"""Every sample once over all readers, in a stated order, and on from where it was."""

from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st
from store_toys import Listed, Toy, toys

from gnomon import store
from gnomon.store import SampleStream

NUMBERS = Listed(tuple(range(64)))
"""Numbers stand for samples: where each comes is all that matters here."""


def shares(samples, world_size, **options):
    return [
        list(SampleStream(samples, rank=rank, world_size=world_size, **options))
        for rank in range(world_size)
    ]


def test_a_stream_is_its_samples_in_order():
    samples = toys()
    found = list(islice(SampleStream(samples), 5))
    assert [s.id for s in found] == [samples.id(i) for i in range(5)]
    assert [s.id for s in SampleStream(Toy(), n=3)] == [s.id for s in found[:3]]
    assert list(SampleStream(NUMBERS)) == list(range(64))
    assert list(SampleStream(NUMBERS, n=9, start=7)) == [7, 8]


@given(
    st.integers(1, 4), st.integers(1, 5), st.integers(0, 3), st.integers(0, 3), st.integers(0, 3)
)
def test_processes_take_batches_in_turn_and_start_takes_them_up(world, batch, steps, rest, other):
    """What was seen after some steps, and what another number of processes sees from there on."""
    seen = steps * world * batch
    before = shares(NUMBERS, world, n=seen, batch_size=batch)
    for rank, share in enumerate(before):
        assert share == [
            (step * world + rank) * batch + place for step in range(steps) for place in range(batch)
        ]
    then = other + 1
    n = min(64, seen + rest * batch * then)
    n -= (n - seen) % (batch * then)
    after = shares(NUMBERS, then, n=n, start=seen, batch_size=batch)
    assert sorted(one for share in before + after for one in share) == list(range(n))


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"n": 65}, "n=65: the source has 64 samples"),
        ({"n": -1}, "give 0 to n=-1"),
        ({"start": -1}, "start=-1: give 0 to n=64"),
        ({"n": 5, "start": 6}, "start=6: give 0 to n=5"),
        ({"rank": 2, "world_size": 2}, "rank=2, world_size=2: .* a rank below"),
        ({"batch_size": 0}, "batch_size=0"),
        ({"world_size": 3}, r"n=64: 64 samples do not fill .* 3 processes: give n=63"),
        ({"start": 4, "batch_size": 8, "world_size": 2}, "n=64: 60 samples .* give n=52"),
    ],
)
def test_what_cannot_be_dealt_out_is_refused(options, told):
    with pytest.raises(ValueError, match=told):
        SampleStream(NUMBERS, **options)


def test_a_mixture_and_a_directory_stream_as_well(tmp_path):
    store.write(toys(), tmp_path, n=8)
    mixed = store.MixedSamples((toys(seed=1), store.open(tmp_path)), (1.0, 1.0))
    one, other = shares(mixed, 2, n=40, batch_size=4)
    batches = zip(*[iter(one)] * 4, strict=True), zip(*[iter(other)] * 4, strict=True)
    dealt = [sample.id for pair in zip(*batches, strict=True) for batch in pair for sample in batch]
    assert dealt == [mixed.id(i) for i in range(40)]
