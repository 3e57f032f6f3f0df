"""A user's pictures are augmented, and answers spread, in training alone: by seed and epoch."""

from collections import Counter
from dataclasses import replace
from decimal import Decimal
from itertools import count, islice
from math import exp

import pytest
from picture_tables import numbered_pictures
from store_toys import tree

from gnomon import store
from gnomon.generators.rng import Rng
from gnomon.recipe import Columns, RecipeError, Source
from gnomon.sample import Number, Sample, Table, Text, Time
from gnomon.store.reading.augmented import (
    augmented,
    check_can_spread,
    draw_steps,
    spread_sample,
)
from gnomon.store.reading.sources import with_augmentation

DRAWN = Source(kind="toy", weight=2, options={"size": 32})


@pytest.fixture
def table(tmp_path):
    """Nine rows, three of each split."""
    labels = numbered_pictures(tmp_path, ["train", "val", "test"] * 3, (48, 40))
    columns = Columns(ask="What is it?", kind="number", split="part")
    return Source(path=str(labels), columns=columns)


def pixels(sample):
    return sample.image.mode, sample.image.tobytes()


def test_only_training_pictures_of_sources_that_say_so_change(table):
    off = replace(table, augment="off")
    sources = (replace(table, augment="light"), DRAWN, off)
    plain = store.mixture(sources, split="train", seed=3)
    training = augmented(plain, sources, seed=3)
    for index in range(30):
        before, after = plain[index], training[index]
        assert (after.id, after.target) == (before.id, before.target)
        is_light = plain.source_and_index(index)[0] == 0
        assert (pixels(after) != pixels(before)) == is_light
        other = training.in_epoch(index, 1)
        assert (pixels(other) != pixels(after)) == is_light
        assert pixels(training.in_epoch(index, 1)) == pixels(other)
    assert augmented(plain, (off, DRAWN), seed=3) is plain
    for split in ("val", "test"):  # opened as every exam and evaluation opens them
        light, plain = (
            [pixels(sample) for sample in store.mixture((source,), split=split, seed=0)]
            for source in (replace(table, augment="heavy"), table)
        )
        assert light == plain


def test_what_was_written_changes_as_what_is_read(table, tmp_path):
    sources = (replace(table, augment="heavy"), CLOCKS)
    plain = store.mixture(sources, split="train", seed=1)
    store.write(plain, tmp_path / "data", n=20)
    stored = store.open(tmp_path / "data")
    assert [s.target for s in stored] == [s.target for s in islice(plain, 20)]
    written, read = (augmented(s, sources, seed=1, spread=5.0) for s in (stored, plain))
    for index, epoch in zip(range(20), count(), strict=False):
        one, other = (samples.in_epoch(index, epoch) for samples in (written, read))
        assert (pixels(one), one.target) == (pixels(other), other.target)


def test_the_default_is_light_for_a_users_pictures(table, tmp_path):
    rows = store.mixture((table,), split="train", seed=0)
    store.write(rows, tmp_path / "rows", n=3)
    store.write(store.mixture((DRAWN,), split="train", seed=0), tmp_path / "drawn", n=3)
    before = tree(tmp_path)
    defaults = [
        (table, "light"),
        (Source(hub="somebody/pictures"), "light"),
        (Source(path=str(tmp_path / "rows")), "light"),
        (Source(path=str(tmp_path / "drawn")), "off"),
        (DRAWN, None),
        (replace(table, augment="heavy"), "heavy"),
    ]
    for source, strength in defaults:
        assert with_augmentation(source).augment == strength, source
    assert tree(tmp_path) == before


CLOCKS = Source(kind="clock", options={"size": 84})
DIAL = Sample("dial", None, "?", Number(Decimal("0.0"), cycle=Decimal(10)))


def expected_share(step, width, limit):
    bell = {k: exp(-k * k / (2 * width * width)) for k in range(-limit, limit + 1)}
    return bell[step] / sum(bell.values())


@pytest.mark.parametrize(("width", "limit"), [(0.8, None), (3.0, None), (3.0, 2), (0.25, None)])
def test_draws_are_from_the_bell(width, limit):
    rng, n = Rng("bell"), 20_000
    counts = Counter(draw_steps(rng, width, limit) for _ in range(n))
    for step in range(-4, 5):
        share = 0 if limit and abs(step) > limit else expected_share(step, width, limit or 50)
        # Five standard errors, and one draw.
        assert abs(counts[step] / n - share) <= 5 * (share / n) ** 0.5 + 1 / n
    assert draw_steps(rng, width, 0) == 0


def test_a_draw_is_a_function_of_its_key():
    answers = [spread_sample(DIAL, 0.8, 7, index, 2).target for index in range(300)]
    assert answers == [spread_sample(DIAL, 0.8, 7, index, 2).target for index in range(300)]
    assert spread_sample(DIAL, 0.0, 7) is DIAL
    counts = Counter(str(answer.value) for answer in answers)
    assert {"9.9", "0.0", "0.1"} <= counts.keys()
    assert counts["0.0"] == max(counts.values())
    for key in ((8, 2), (7, 3)):
        seed, epoch = key
        others = [spread_sample(DIAL, 0.8, seed, index, epoch).target for index in range(300)]
        assert others != answers


def test_the_mean_of_many_draws_is_the_truth_also_at_a_limit():
    for value in ("0", "1", "40"):
        sample = replace(DIAL, target=Number(Decimal(value)))
        draws = [int(spread_sample(sample, 2.0, index).target.value) for index in range(4000)]
        assert abs(sum(draws) / len(draws) - int(value)) < 0.2
        assert min(draws) >= 0


@pytest.mark.parametrize(
    "sample",
    [
        replace(DIAL, rationale="The pointer is at 0."),
        replace(DIAL, target=Text("open", ("open", "closed"))),
        replace(DIAL, target=Table(("year",), (("2020",),))),
    ],
)
def test_words_tables_and_answers_with_a_working_are_left_alone(sample):
    assert all(spread_sample(sample, 9.0, index) is sample for index in range(50))
    with pytest.raises(RecipeError, match=r"loss.spread=9 changes only.*leave loss.spread"):
        check_can_spread([sample] * 70, 9.0)
    check_can_spread([sample] * 3 + [DIAL], 9.0)
    check_can_spread([sample], 0.0)


def test_only_answers_of_training_are_spread_and_each_epoch_anew():
    plain = store.mixture((CLOCKS,), split="train", seed=3)
    assert augmented(plain, (CLOCKS,), seed=3, spread=0.0) is plain
    training = augmented(plain, (CLOCKS,), seed=3, spread=2.0)
    apart = []
    for index in range(12):
        before, after, later = plain[index], training[index], training.in_epoch(index, 1)
        assert replace(after, target=before.target) == before
        assert training.target(index) == before.target
        if isinstance(before.target, Time):
            apart.append((before.target, after.target, later.target))
    assert any(len(set(answers)) == 3 for answers in apart)
    assert training.describe() != augmented(plain, (CLOCKS,), seed=3, spread=1.0).describe()
