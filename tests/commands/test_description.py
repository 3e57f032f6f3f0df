"""A user's description of an instrument on the command line."""

import re
from dataclasses import fields
from pathlib import Path

import pytest
from PIL import Image

from gnomon.generators.faces.description import PARTS
from gnomon.names import load_class
from gnomon.recipe import RecipeError
from gnomon.runs import name_lists
from gnomon.runs.resolve import resolve


def size_of(file):
    with Image.open(file) as image:
        return image.size


def test_a_description_is_copied_drawn_and_used(here, cli):
    cli("cp", "face", "my-gauge.yaml")
    assert Path("my-gauge.yaml").read_text().startswith("# A description of an instrument.")
    cli("preview", "my-gauge.yaml", "-o", "sheet.png", "--n", 2, "size=160")
    assert size_of("sheet.png")[0] > 300
    sample = resolve("my-gauge.yaml", ["look=photo"]).samples("train")[0]
    assert sample.id.startswith("face-v")
    assert sample.target.unit == "bar"


def test_every_key_of_a_part_is_listed_with_its_meaning_and_default(here, cli):
    assert {name: place for name, place in name_lists.PARTS.items() if name in PARTS} == {
        name: f"{part.__module__}:{part.__name__}" for name, part in PARTS.items()
    }
    listed = cli("ls", "parts").out
    for name, place in name_lists.PARTS.items():
        part, keys = load_class(place), cli("ls", name).out
        assert re.search(rf"^  {name} ", listed, re.MULTILINE)
        for key in fields(part):
            row = re.search(rf"^    {key.name} +(.*)$", keys, re.MULTILINE)
            assert (row is not None) == key.init, (name, key.name)
    track = cli("ls", "track").out
    assert "Distances from the track count inwards" in track
    assert re.search(r"\n    tick +Length of a labelled tick, inwards.* \[0.1\]\n", track)
    assert re.search(r"\n    numerals.height +Height of a digit. \[0.1\]\n", track)
    assert re.search(r"\n    values .* It must be given.\n", track)


def test_a_description_that_cannot_be_drawn_leaves_no_folder_behind(here, cli):
    cli("cp", "face", "my-gauge.yaml")
    file = Path("my-gauge.yaml")
    file.write_text(file.read_text().replace("colour: [pointer, ink]", "colour: white"))
    words = ["generate", "my-gauge.yaml", "--n", 2, "--out", "drawn", "palettes=[white]"]
    said = cli(*words, code=2).err
    assert "parts.hand.colour: 'white' is not visible on any floor" in said
    assert not Path("drawn").exists()


def test_drawings_are_laid_beside_a_photograph(here, cli):
    cli("cp", "dial_indicator", "dial.yaml")
    Image.new("RGB", (60, 80), "navy").save("photo.jpg")
    words = ["dial.yaml", "--n", 2, "size=160"]
    cli("preview", "-o", "sheet.png", *words)
    cli("preview", "-o", "both.png", *words, "--beside", "photo.jpg")
    (wide, high), (wider, as_high) = size_of("sheet.png"), size_of("both.png")
    assert wider > wide + 0.7 * (high - 40)
    assert as_high == high
    with Image.open("both.png") as both:
        red, green, blue = both.getpixel((40, 40))
    assert blue > 100 > red + green
    Path("photo.jpg").write_text("no picture")
    assert (
        "photo.jpg is not a picture that gnomon can read"
        in cli("preview", "-o", "both.png", *words, "--beside", "photo.jpg", code=1).err
    )


def test_a_recipe_finds_a_description_beside_it(here, cli):
    Path("recipes").mkdir()
    cli("cp", "face", "recipes/my-gauge.yaml")
    Path("recipes/mine.yaml").write_text(
        "data: [{kind: face, options: {description: my-gauge.yaml}}]\n"
        "model: {name: gnomon-tiny}\ntrain: {max_steps: 1}\n"
    )
    source = resolve("recipes/mine.yaml").recipe.data[0]
    assert source.options["description"] == str(Path("recipes/my-gauge.yaml"))


def test_a_mistake_is_refused_with_its_line_and_the_way_out(here, cli):
    cli("cp", "face", "my-gauge.yaml")
    file = Path("my-gauge.yaml")
    file.write_text(file.read_text().replace("sweep: 270", "sweeep: 270"))
    with pytest.raises(RecipeError, match=r"line 27: parts.scale: sweeep: .*did you mean sweep"):
        _ = resolve("my-gauge.yaml").samples("train")[0]
