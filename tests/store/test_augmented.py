"""A user's pictures are augmented in training alone, as each source says."""

from dataclasses import replace
from itertools import count

import pytest
from PIL import Image
from store_toys import tree

from gnomon import store
from gnomon.recipe import Columns, Source
from gnomon.store.reading.augmented import augmented
from gnomon.store.reading.sources import with_augmentation

DRAWN = Source(kind="toy", weight=2, options={"size": 32})


@pytest.fixture
def table(tmp_path):
    """Nine rows, three of each split."""
    lines = ["image,answer,part"]
    for number in range(9):
        Image.linear_gradient("L").rotate(40 * number).resize((48, 40)).save(
            tmp_path / f"{number}.png"
        )
        lines.append(f"{number}.png,{number},{('train', 'val', 'test')[number % 3]}")
    (tmp_path / "labels.csv").write_text("\n".join(lines))
    columns = Columns(ask="What is it?", kind="number", split="part")
    return Source(path=str(tmp_path / "labels.csv"), columns=columns)


def pixels(sample):
    return sample.image.mode, sample.image.tobytes()


def test_only_training_pictures_of_sources_that_say_so_change(table):
    sources = (replace(table, augment="light"), DRAWN, replace(table, augment="off"))
    plain = store.mixture(sources, split="train", seed=3)
    training = augmented(plain, sources, seed=3)
    for index in range(30):
        before, after = plain[index], training[index]
        assert (after.id, after.target) == (before.id, before.target)
        is_light = plain.place_of(index)[0] == 0
        assert (pixels(after) != pixels(before)) == is_light
        other = training.in_epoch(index, 1)
        assert (pixels(other) != pixels(after)) == is_light
        assert pixels(training.in_epoch(index, 1)) == pixels(other)
    for split in ("val", "test"):  # opened as every exam and evaluation opens them
        table_pixels = [pixels(sample) for sample in store.mixture((table,), split=split, seed=0)]
        light = store.mixture((replace(table, augment="heavy"),), split=split, seed=0)
        assert [pixels(sample) for sample in light] == table_pixels


def test_off_is_the_samples_themselves(table):
    sources = (replace(table, augment="off"), DRAWN)
    plain = store.mixture(sources, split="train", seed=3)
    assert augmented(plain, sources, seed=3) is plain


def test_what_was_written_is_augmented_as_what_is_read(table, tmp_path):
    sources = (replace(table, augment="heavy"), DRAWN)
    plain = store.mixture(sources, split="train", seed=1)
    store.write(plain, tmp_path / "data", n=20)
    written = augmented(store.open(tmp_path / "data"), sources, seed=1)
    read = augmented(plain, sources, seed=1)
    for index, epoch in zip(range(20), count(), strict=False):
        assert pixels(written.in_epoch(index, epoch)) == pixels(read.in_epoch(index, epoch))


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
