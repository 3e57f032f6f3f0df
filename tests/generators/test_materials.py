"""Photographs, fonts and palettes of the user's own, in every kind that draws with them."""

import os
import pickle
import shutil
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from case_tables import table
from PIL import Image
from solvers import check

from gnomon.generators import create
from gnomon.generators.drawing import backgrounds as photograph
from gnomon.generators.drawing import lettering as fonts
from gnomon.generators.drawing.colours import (
    EDGE,
    READABLE,
    SHADES,
    VISIBLE,
    contrast,
    difference,
    is_readable_on,
    palette,
    stand_out,
)
from gnomon.generators.drawing.pose import Pose
from gnomon.generators.drawing.shapes import outline
from gnomon.generators.rng import Rng
from gnomon.generators.user_files import UserFile, licence

MATPLOTLIB = Path(find_spec("matplotlib").origin).parent / "mpl-data" / "fonts" / "ttf"
DIAL = "floor #fdf6e3\nhands #073642\nsecond #dc322f\ncase #586e75\nground #93a1a1\n"
SERIES = '["#264653", "#2a9d8f", "#e9c46a", "#f4a261", "#e76f51"]'
SMALL = {"clock": 112, "gauge": 160, "chart": 224, "scene": 168, "text_spotting": 224,
         "counter": 160}  # fmt: skip
WITH = {
    "clock": ("backgrounds", "fonts", "palettes"),
    "gauge": ("backgrounds", "fonts", "palettes"),
    "chart": ("backgrounds", "fonts", "palettes"),
    "scene": ("backgrounds",),
    "text_spotting": ("backgrounds", "fonts"),
    "counter": ("backgrounds", "fonts"),
}


def photo(seed: int, size: tuple[int, int]) -> Image.Image:
    """Grainy, with light and dark sides and a bright thing in it."""
    rng = np.random.default_rng(seed)
    width, height = size
    ramp = np.linspace(20, 235, width)[None, :, None] * rng.uniform(0.4, 1, 3)
    pixels = np.repeat(ramp, height, 0) + rng.normal(0, 25, (height, width, 3))
    pixels[height // 4 : height // 2, width // 4 : width // 2] = rng.integers(0, 256, 3)
    return Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A working directory with material of each sort; the options of a kind that name it."""
    monkeypatch.chdir(tmp_path)
    fill(tmp_path)

    def options(kind: str) -> dict[str, object]:
        palettes = ["series.json"] if kind == "chart" else ["dial.txt"]
        given = {"backgrounds": ["photos"], "fonts": ["Own.ttf"], "palettes": palettes}
        faces = {"faces": ["wheels"]} if kind == "counter" else {}  # displays have no fonts
        return {"size": SMALL[kind], **faces, **{name: given[name] for name in WITH[kind]}}

    return options


def fill(folder: Path) -> None:
    (folder / "photos" / "more").mkdir(parents=True)
    photo(1, (300, 200)).save(folder / "photos" / "a.jpg")
    photo(2, (40, 90)).save(folder / "photos" / "b.png")
    photo(3, (640, 480)).convert("L").save(folder / "photos" / "more" / "c.webp")
    (folder / "photos" / "LICENSE").write_text("\nCC0 1.0\nmore\n")
    (folder / "photos" / ".hidden.jpg").write_text("nobody's")
    (folder / "dial.txt").write_text(DIAL)
    (folder / "series.json").write_text(SERIES)
    shutil.copy(MATPLOTLIB / "DejaVuSans-BoldOblique.ttf", folder / "Own.ttf")


def pixels(generator, n=3):
    return [np.asarray(generator[i].image).tobytes() for i in range(n)]


@pytest.mark.parametrize("kind", WITH)
def test_samples_are_right_and_depend_on_contents_not_on_places(kind, own, tmp_path, monkeypatch):
    drawn = create(kind, **own(kind))
    for index in range(6):
        check(drawn[index])
    assert pixels(drawn) != pixels(create(kind, size=SMALL[kind]))
    assert pixels(pickle.loads(pickle.dumps(drawn))) == pixels(drawn)

    (tmp_path / "elsewhere").mkdir()
    fill(tmp_path / "elsewhere")
    monkeypatch.chdir(tmp_path / "elsewhere")
    moved = create(kind, **own(kind))
    assert [moved[i].facts for i in range(3)] == [drawn[i].facts for i in range(3)]
    assert moved.id(0) == drawn.id(0)
    assert pixels(moved) == pixels(drawn)

    photo(9, (300, 200)).save("photos/a.jpg")
    assert create(kind, **own(kind)).id(0) != drawn.id(0)
    photograph._decode.cache_clear()
    with pytest.raises(ValueError, match=r"photos/a.jpg has changed since"):
        pixels(moved, 12)


@pytest.mark.parametrize("kind", WITH)
def test_files_stand_beside_built_in_names(kind, own):
    """What the option came to is what the facts name."""
    drawn = create(kind, **own(kind) | {"backgrounds": ["plain", "photos/a.jpg"]})
    assert [str(name).partition("@")[0] for name in drawn.materials.names("backgrounds")] == [
        "plain",
        "a.jpg",
    ]
    behind = [drawn.background_photograph(i) for i in range(40)]
    assert 8 < sum(one is not None for one in behind) < 32
    if kind != "scene":
        facts = [drawn[i].facts for i in range(6)]
        assert kind == "clock" or "Own.ttf@" in str(facts)


def test_a_clock_ends_where_it_can_be_seen_on_a_photograph(own):
    """Along the ring around it, nearly everywhere; the photograph as it is would hide some."""
    dark = np.random.default_rng(0).normal(45, 20, (300, 300, 3))
    Image.fromarray(np.clip(dark, 0, 255).astype(np.uint8)).save("dark.png")
    options = {"palettes": ["plain", "dark"], "backgrounds": ["dark.png"], "variety": 0.0}
    clock, hidden = create("clock", **options), 0
    for index in range(20):
        sample = clock[index]
        facts, seen = sample.facts, np.asarray(sample.image)
        style = facts["style"]
        colours = palette(style["palette"])
        edge = colours.floor if style["dial"] == "bare" else colours.case
        # With a variety of 0, all rims are 0.07 broad.
        ring = Pose(np.array(facts["homography"]))(outline(style["dial"], 1.04 * 1.07))
        around = photograph.pixels_at(seen, ring)
        far = [difference(edge, tuple(one)) >= EDGE - 2 for one in around.tolist()]
        assert np.mean(far) > 0.9, index
        raw = photograph._random_crop(
            clock.materials.names("backgrounds")[0], (224, 224), Rng("raw", index)
        )
        hidden += not stand_out(photograph.pixels_at(raw, ring), [edge], EDGE)
    assert hidden > 3


def test_things_and_texts_stand_out_from_a_photograph(own):
    scene = create("scene", **own("scene") | {"size": 224})
    for index in range(12):
        sample = scene[index]
        seen = np.asarray(sample.image)
        for thing in sample.facts["things"]:
            x1, y1, x2, y2 = (round(side) for side in thing["box"])
            frame = np.concatenate([seen[y1:y2, max(0, x1 - 2)], seen[y1:y2, min(223, x2 + 2)]])
            shades = SHADES[thing["colour"]]
            away = [min(difference(s, tuple(p)) for s in shades) for p in frame.tolist()]
            assert np.mean(np.array(away) > VISIBLE - 4) > 0.85, (index, thing)
    texts = create("text_spotting", **own("text_spotting"))
    for index in range(12):
        sample = texts[index]
        edge = np.asarray(sample.image)[[0, 1, -2, -1]]  # nothing is written there
        for text in sample.facts["texts"]:
            ink = SHADES[text["colour"]][0]
            ratios = [contrast(ink, tuple(one)) for one in edge.reshape(-1, 3)[::7].tolist()]
            assert np.mean(np.array(ratios) > READABLE - 0.3) > 0.8, index


def test_a_photograph_stays_as_it_is_where_all_is_clear(own):
    drawn = create("clock", **own("clock"))
    [first, *_] = drawn.materials.names("backgrounds")
    as_it_is = photograph.crop_photograph(first, (60, 50), (9, 9, 9), Rng("x"), lambda _: True)
    assert as_it_is.shape == (50, 60, 3)
    assert np.array_equal(as_it_is, photograph._random_crop(first, (60, 50), Rng("x")))
    flat = photograph.crop_photograph(first, (60, 50), (9, 9, 9), Rng("x"), lambda _: False)
    assert (flat == 9).all()


def test_contrasts_of_pixels_are_those_of_colours():
    some = np.random.default_rng(0).integers(0, 256, (50, 3)).astype(np.uint8)
    for one in some[:10]:
        ink = tuple(int(part) for part in one)
        for other in some:
            ratio = contrast(ink, tuple(int(part) for part in other))
            assert is_readable_on(other[None], [ink], ratio - 1e-6)
            assert not is_readable_on(other[None], [ink], ratio + 1e-6)


def test_a_palette_is_what_is_drawn(own):
    gauge = create("gauge", **own("gauge") | {"backgrounds": ["plain"]})
    name = "fdf6e3-073642-073642-dc322f-586e75-93a1a1"
    sample = gauge[0]
    assert sample.facts["style"]["palette"] == name
    assert sample.facts["style"]["font"].startswith("Own.ttf@")
    seen = {tuple(one) for one in np.asarray(sample.image).reshape(-1, 3).tolist()}
    assert {(0xFD, 0xF6, 0xE3), (0x58, 0x6E, 0x75), (0x93, 0xA1, 0xA1)} <= seen
    for text in (
        "floor: '#FDF6E3'\nhands: '#073642'\n",
        '{"floor": "fdf6e3", "hands": "073642"}',
        "floor=fdf6e3, hands=073642",
    ):
        Path("dial.txt").write_text(text)
        assert create("clock", palettes=["dial.txt"]).materials.names("palettes") == (
            "fdf6e3-073642-073642-073642-073642-fdf6e3",
        )
    chart = create("chart", palettes=["series.json"], size=224)
    assert chart.materials.names("palettes") == ("264653-2a9d8f-e9c46a-f4a261-e76f51",)


def test_fonts_of_any_make_fill_the_room_that_dials_have(own):
    """A broad font is made smaller until its figures are no broader than those of DejaVu Sans."""
    shutil.copy(MATPLOTLIB / "DejaVuSans-Bold.ttf", "Broad.ttf")
    [broad] = create("clock", fonts=["Broad.ttf"]).materials.names("fonts")
    assert isinstance(broad, UserFile)
    wide = [fonts.font_face(name, 40).getlength("2012") for name in (broad, "sans", "sans-bold")]
    assert 0.9 * wide[1] < wide[0] <= wide[1] < wide[2]


@table(__file__, "refused_materials")
def test_what_cannot_be_drawn_with_is_refused_by_name(row, tmp_path, monkeypatch):
    """The file is a text, a font of matplotlib's, an empty folder or missing."""
    monkeypatch.chdir(tmp_path)
    if "folder" in row:
        Path(row["file"]).mkdir()
    elif "font" in row:
        shutil.copy(MATPLOTLIB / row["font"], row["file"])
    elif "text" in row:
        Path(row["file"]).write_text(row["text"])
    with pytest.raises(ValueError, match=f"(?s){row['option']}.*{row['message']}"):
        create(row["kind"], **{row["option"]: [row["file"]]})


def test_a_mixture_names_the_files_of_its_parts(own):
    parts = [{"kind": "clock", "options": own("clock")}, {"kind": "arithmetic"}]
    assert set(create("mixture", parts=parts).files) == {
        "photos/a.jpg",
        "photos/b.png",
        "photos/more/c.webp",
        "dial.txt",
        "Own.ttf",
    }


def test_a_mixture_is_the_same_wherever_the_files_of_its_parts_lie(tmp_path, monkeypatch):
    drawn = []
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        Image.new("RGB", (99, 99), "red").save(tmp_path / folder / "red.png")
        options = {"backgrounds": [str(tmp_path / folder / "red.png")], "size": 84}
        parts = [{"kind": "clock", "options": options}, {"kind": "arithmetic"}]
        drawn.append(create("mixture", parts=parts))
    assert drawn[0].name == drawn[1].name
    assert [drawn[0][i].id for i in range(9)] == [drawn[1][i].id for i in range(9)]


@pytest.mark.parametrize("mode", ["I", "F"])
def test_a_background_without_black_and_white_is_refused(tmp_path, monkeypatch, mode):
    """It became black and white alone."""
    monkeypatch.chdir(tmp_path)
    Image.new(mode, (9, 9), 100).save("a.tif")
    with pytest.raises(ValueError, match=r"backgrounds: a\.tif has 32 bits a pixel: save it in 8"):
        create("chart", backgrounds=["a.tif"])


def test_a_licence_is_looked_for_in_regular_files(tmp_path):
    os.mkfifo(tmp_path / "LICENSE")
    with pytest.raises(ValueError, match="LICENSE is a pipe"):
        licence(str(tmp_path / "a.png"))
