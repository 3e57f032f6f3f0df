"""Pictures of others are seen as their viewers show them."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from gnomon.recipe import Columns
from gnomon.store.own import open_own
from gnomon.store.photograph import picture_of, size_of


def test_sixteen_bits_are_grey_not_white(tmp_path):
    grey = np.linspace(0, 65535, 256).round().astype(np.uint16)[None, :]
    Image.fromarray(grey).save(tmp_path / "deep.png")
    seen = np.asarray(picture_of(tmp_path / "deep.png"))
    assert (seen[0] == np.arange(256)[:, None]).all()


@pytest.mark.parametrize("form", ["RGBA", "LA", "P"])
def test_what_is_seen_through_is_white(tmp_path, form):
    """Charts are often saved so: black ink, and a ground that is black where it is seen through."""
    chart = Image.new("RGBA", (4, 1), (0, 0, 0, 0))
    chart.putpixel((1, 0), (0, 0, 0, 255))
    chart.convert(form).save(tmp_path / "chart.png")
    seen = np.asarray(picture_of(tmp_path / "chart.png"))[0]
    assert seen[:, 0].tolist() == [255, 0, 255, 255]
    assert seen.shape == (4, 3)


def test_inks_of_a_printer_and_the_first_of_many_pictures(tmp_path):
    red = Image.new("RGB", (8, 8), "red")
    red.convert("CMYK").save(tmp_path / "inks.jpg", quality=100)
    red.save(tmp_path / "moving.gif", save_all=True, append_images=[Image.new("RGB", (8, 8))])
    for name in ("inks.jpg", "moving.gif"):
        seen = picture_of(tmp_path / name)
        assert seen.mode == "RGB", name
        assert np.allclose(np.asarray(seen), (255, 0, 0), atol=3), name


def test_a_picture_that_breaks_off_is_told_by_its_file_and_line(tmp_path):
    noise = np.random.default_rng(0).integers(0, 256, (64, 64, 3), np.uint8)
    Image.fromarray(noise).save(file := tmp_path / "half.jpg")
    (tmp_path / "labels.csv").write_text("image,question,answer,split\nhalf.jpg,Which?,3,train\n")
    rows = open_own(tmp_path / "labels.csv", Columns(kind="number", split="split"), "train")
    file.write_bytes(file.read_bytes()[:2000])
    assert size_of(file) == (64, 64)
    told = r"line 2: half\.jpg is no picture: image file is truncated"
    with pytest.raises(ValueError, match=rf"labels\.csv: {told}"):  # after it was opened
        rows[0]
    with pytest.raises(ValueError, match=told):
        open_own(tmp_path / "labels.csv", Columns(kind="number", split="split"), "train")
