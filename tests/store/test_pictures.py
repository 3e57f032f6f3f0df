"""Pictures come back with every pixel, and those of others are as their viewers show them."""

import contextlib
import os
import random
import struct
import zlib
from io import BytesIO

import numpy as np
import pytest
from PIL import EpsImagePlugin, Image

from gnomon.generators import create
from gnomon.recipe import Columns
from gnomon.store.pictures import (
    PICTURE_FORMATS,
    check_decodable,
    decode_picture,
    encode_png,
    fingerprint,
    load_picture,
    picture_size,
)
from gnomon.store.user_data.opening import open_table

NOISE = np.random.default_rng(0).integers(0, 256, (13, 17, 4), dtype=np.uint8)
SMALLEST = [(1, 1), (2, 1), (3, 1), (1, 3), (5, 1), (6, 2), (2, 4)]
PICTURES = [
    Image.fromarray(NOISE[..., 0].astype(np.uint16) * 257),
    *(Image.fromarray(NOISE).convert("RGB").convert(m) for m in ("RGBA", "LA", "1", "P")),
    *(
        Image.fromarray(NOISE[:height, :width, :3].copy()).convert(mode)
        for width, height in [*SMALLEST, (17, 13)]
        for mode in ("L", "RGB")
    ),
]


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: f"{picture.mode} {picture.size}")
def test_a_picture_comes_back_with_the_same_pixels_and_mode(picture):
    data = encode_png(picture)
    with Image.open(BytesIO(data)) as file:
        file.verify()  # Pillow looks at every chunk's check sum
    back = decode_picture(data)
    assert fingerprint(back) == fingerprint(picture)
    assert back.mode == picture.mode
    assert type(back) is Image.Image  # nothing holds a file, and two of them compare equal


def test_the_bytes_are_those_of_any_zlib():
    """ISA-L is twice as fast, but hashed an address of the stack: other bytes in each process."""
    pictures = [create(kind)[i].image for kind in ("clock", "chart", "scene") for i in range(5)]
    for picture in [*pictures, Image.fromarray(NOISE[..., :3].copy())]:
        rows = np.asarray(picture).reshape(picture.height, -1).astype(int)
        less = np.diff(rows, axis=0, prepend=0) % 256
        filtered = np.insert(less.astype(np.uint8), 0, 2, axis=1)
        stream = zlib.compressobj(1, strategy=zlib.Z_RLE)
        data = stream.compress(filtered.tobytes()) + stream.flush()
        assert data in encode_png(picture)


def test_a_photograph_stands_upright():
    exif = Image.Exif()
    exif[0x0112] = 6  # the camera was turned
    Image.new("RGB", (30, 20)).save(file := BytesIO(), "JPEG", exif=exif)
    assert decode_picture(file.getvalue()).size == (20, 30)


def turned(form):
    """A picture 30 wide and 20 high, which its notes turn upright; PNG's may follow the pixels."""
    exif = Image.Exif()
    exif[0x0112] = 6
    xmp = b'<x:xmpmeta xmlns:x="adobe:ns:meta/"><a tiff:Orientation="6"/></x:xmpmeta>'
    image, file = Image.new("RGB", (30, 20)), BytesIO()
    if form in ("JPEG", "TIFF", "WEBP", "PNG"):
        image.save(file, form, exif=exif)
        return file.getvalue()
    image.save(file, "PNG")
    notes = {
        "late eXIf": chunk(b"eXIf", exif.tobytes().removeprefix(b"Exif\0\0")),
        "late XMP": chunk(b"iTXt", b"XML:com.adobe.xmp\0\0\0\0\0" + xmp),
        "XMP": chunk(b"iTXt", b"XML:com.adobe.xmp\0\0\0\0\0" + xmp),
        "late text": chunk(b"tEXt", b"Comment\0upright"),
    }[form]
    data = file.getvalue()
    place = data.index(b"IEND" if "late" in form else b"IDAT") - 4
    return data[:place] + notes + data[place:]


def chunk(name, content):
    check = zlib.crc32(name + content)
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", check)


@pytest.mark.parametrize(
    "form", ["JPEG", "TIFF", "WEBP", "PNG", "late eXIf", "XMP", "late XMP", "late text"]
)
def test_the_size_is_that_of_the_picture_as_it_is_opened(form):
    """Shares of a picture's sides become pixels by it."""
    picture = turned(form)
    assert picture_size(picture) == load_picture(picture).size
    assert picture_size(picture) == ((30, 20) if form == "late text" else (20, 30))


def test_pictures_of_other_shape_palette_or_none_have_other_fingerprints():
    wide, tall = Image.new("L", (6, 4)), Image.new("L", (4, 6))
    rgb = Image.new("RGB", wide.size)
    red, blue = (Image.new("RGB", (4, 4), colour).quantize(2) for colour in ("red", "blue"))
    assert len({fingerprint(p) for p in (wide, tall, rgb, red, blue, None)}) == 6


def test_sixteen_bits_are_grey_not_white(tmp_path):
    grey = np.linspace(0, 65535, 256).round().astype(np.uint16)[None, :]
    Image.fromarray(grey).save(tmp_path / "deep.png")
    seen = np.asarray(load_picture(tmp_path / "deep.png"))
    assert (seen[0] == np.arange(256)[:, None]).all()


def tiff(values, bits, kind):
    """One row of greys; `kind` is 1 for whole numbers, 2 for such with a sign, 3 for floats."""
    order = "little" if bits % 16 == 0 else "big"
    if kind == 3:
        data = struct.pack(f"<{len(values)}f", *values)
    elif bits == 12:
        data = int("".join(f"{value:012b}" for value in values), 2).to_bytes(
            -(-len(values) * 3 // 2)
        )
    else:
        data = b"".join(v.to_bytes(bits // 8, order, signed=kind == 2) for v in values)
    tags = {256: len(values), 257: 1, 258: bits, 259: 1, 262: 1, 273: 8, 277: 1, 278: 1,
            279: len(data), 339: kind}  # fmt: skip
    file = b"II*\0" + struct.pack("<I", 8 + len(data)) + data + struct.pack("<H", len(tags))
    return (
        file + b"".join(struct.pack("<HHII", *(tag, 4, 1), v) for tag, v in tags.items()) + bytes(4)
    )


@pytest.mark.parametrize(("bits", "values"), [(12, range(0, 4096, 16)), (16, range(0, 65536, 256))])
def test_a_tiff_keeps_its_256_greys(bits, values):
    seen = np.asarray(load_picture(tiff(list(values), bits, 1)))[0, :, 0]
    assert seen.tolist() == list(range(256))


@pytest.mark.parametrize(
    ("values", "bits", "kind"),
    [([0.0, 0.25, 0.5, 1.0], 32, 3), ([0.0, 90.5, 255.0, 4000.0], 32, 3),
     ([0, 1000, 2**31, 2**32 - 1], 32, 1), ([-(2**31), -1, 0, 1], 32, 2), ([-5, 0, 9, 300], 16, 2)],
)  # fmt: skip
def test_numbers_of_which_nothing_says_what_is_white_are_refused(values, bits, kind):
    """They became black below 1 and white above 254."""
    for opens in (picture_size, load_picture, check_decodable):
        with pytest.raises(
            ValueError, match=r"not a picture: its pixels are .*: save it in 8 or 16"
        ):
            opens(tiff(values, bits, kind))


@pytest.mark.parametrize("form", ["RGBA", "LA", "P"])
def test_what_is_seen_through_is_white(tmp_path, form):
    """Charts are often saved so: black ink, and a ground that is black where it is seen through."""
    chart = Image.new("RGBA", (4, 1), (0, 0, 0, 0))
    chart.putpixel((1, 0), (0, 0, 0, 255))
    chart.convert(form).save(tmp_path / "chart.png")
    seen = np.asarray(load_picture(tmp_path / "chart.png"))[0]
    assert seen[:, 0].tolist() == [255, 0, 255, 255]
    assert seen.shape == (4, 3)


def test_inks_of_a_printer_and_the_first_of_many_pictures(tmp_path):
    red = Image.new("RGB", (8, 8), "red")
    red.convert("CMYK").save(tmp_path / "inks.jpg", quality=100)
    red.save(tmp_path / "moving.gif", save_all=True, append_images=[Image.new("RGB", (8, 8))])
    for name in ("inks.jpg", "moving.gif"):
        picture = load_picture(tmp_path / name)
        assert picture.mode == "RGB", name
        assert np.allclose(np.asarray(picture), (255, 0, 0), atol=3), name
    with pytest.raises(OSError, match="CMYK"):
        encode_png(Image.new("CMYK", (4, 4)))


def test_a_picture_that_broke_off_since_it_was_opened_is_told_by_its_line(tmp_path):
    noise = np.random.default_rng(0).integers(0, 256, (64, 64, 3), np.uint8)
    Image.fromarray(noise).save(file := tmp_path / "half.jpg")
    (tmp_path / "labels.csv").write_text("image,question,answer,split\nhalf.jpg,Which?,3,train\n")
    rows = open_table(tmp_path / "labels.csv", Columns(kind="number", split="split"), "train")
    file.write_bytes(file.read_bytes()[:2000])
    assert picture_size(file) == (64, 64)
    message = r"labels\.csv: line 2: half\.jpg is not a picture: image file is truncated"
    with pytest.raises(ValueError, match=message):
        rows[0]


EPS = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n%%EndComments\nshowpage\n"


def test_eps_called_png_starts_no_program(tmp_path, monkeypatch):
    """Pillow hands it to Ghostscript, for which something stands here that leaves a trace."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "gs").write_text(f"#!/bin/sh\ntouch {tmp_path}/started\n")
    (tmp_path / "bin" / "gs").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setattr(EpsImagePlugin, "gs_binary", None)
    (tmp_path / "a.png").write_bytes(EPS)
    for image in (tmp_path / "a.png", EPS):
        for opens in (picture_size, load_picture):
            with pytest.raises(ValueError, match=r"not a picture: give PNG, JPEG, .* or TIFF"):
                opens(image)
    assert not (tmp_path / "started").exists()
    with Image.open(tmp_path / "a.png") as opened, pytest.raises(OSError, match="identify"):
        opened.load()
    assert (tmp_path / "started").exists()


@pytest.mark.parametrize("form", [*PICTURE_FORMATS, "MPO"])
def test_pictures_of_cameras_and_of_the_web_are_opened_whatever_they_are_called(tmp_path, form):
    Image.new("RGB", (8, 6), "red").save(tmp_path / "a", form)
    (tmp_path / "a").rename(tmp_path / "a.eps")
    assert picture_size(tmp_path / "a.eps") == (8, 6)
    assert load_picture((tmp_path / "a.eps").read_bytes()).size == (8, 6)


@pytest.mark.parametrize("form", PICTURE_FORMATS)
def test_a_bomb_is_refused_by_name(tmp_path, monkeypatch, form):
    file = tmp_path / "bomb.png"
    Image.new("RGB", (30, 30)).save(file, form)
    for most in (899, 500, 451, 1):
        monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", most)
        for opens in (picture_size, load_picture):
            with pytest.raises(ValueError, match=rf"bomb.png has more than {most} pixels: give a"):
                opens(file)
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 900)
    assert load_picture(file).size == picture_size(file) == (30, 30)


@pytest.mark.parametrize("form", PICTURE_FORMATS)
def test_a_damaged_picture_is_a_picture_or_refused(form):
    """What decoders raise on damage is of a dozen kinds."""
    rng, file = random.Random(form), BytesIO()
    Image.fromarray(NOISE[..., :3].copy()).save(file, form, exif=Image.Exif())
    for _ in range(150):
        data = bytearray(file.getvalue())
        for _ in range(rng.randint(1, 9)):
            data[rng.randrange(min(len(data), rng.choice((60, len(data)))))] = rng.randrange(256)
        for opens in (picture_size, load_picture):
            with contextlib.suppress(ValueError):
                opens(bytes(data[: rng.choice((None, rng.randrange(len(data))))]))
