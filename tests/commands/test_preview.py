"""`gnomon preview` of a recipe: what its model will see and learn, before anything is trained."""

import pytest
from command_toys import gnomon_process, small
from PIL import Image


def size_of(file):
    with Image.open(file) as image:
        return image.size


def test_a_recipes_sheet_shows_what_its_model_sees(tmp_path, cli):
    """gnomon-tiny enlarges a picture of 64 pixels to 112. Both are shown at twice their size."""
    recipe, seen, drawn = small(tmp_path), tmp_path / "seen.png", tmp_path / "drawn.png"
    words = ["--n", 2, "data=[{kind: clock, options: {size: 64, ask_seconds: 0}}]"]
    assert cli("preview", recipe, "-o", seen, *words).err == ""
    cli("preview", "clock", "-o", drawn, "--n", 2, "size=64", "ask_seconds=0")
    assert size_of(seen)[0] - size_of(drawn)[0] == 2 * (224 - 128)


def test_pictures_of_a_size_that_is_given_are_shown_in_this_size(tmp_path, cli):
    """Otherwise a sheet of many pictures stays small, and a user cannot judge a tick."""
    sheets = [tmp_path / "plain.png", tmp_path / "large.png"]
    cli("preview", "gauge", "-o", sheets[0], "--n", 2)
    cli("preview", "gauge", "-o", sheets[1], "--n", 2, "size=600")
    assert size_of(sheets[1])[0] - size_of(sheets[0])[0] == 2 * (600 - 224)


def test_without_the_models_files_the_plain_sheet_is_drawn_and_says_so(tmp_path, cli, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    out, words = tmp_path / "sheet.png", ["--n", 3, "model.name=nobody/nothing"]
    (line,) = cli("preview", small(tmp_path), "-o", out, *words).err.splitlines()
    assert line.startswith("gnomon: model.name: 'nobody/nothing' was never downloaded")
    assert line.endswith("the sheet does not show them as the model sees them")
    assert size_of(out)[0] > 100


@pytest.mark.slow
def test_without_the_training_extra_too(tmp_path):
    words = ("preview", small(tmp_path), "-o", tmp_path / "sheet.png", "--n", "2")
    done = gnomon_process(*words, before="sys.modules['transformers'] = None")
    assert done.returncode == 0
    assert "transformers" in done.stderr
    assert done.stderr.endswith("the sheet does not show them as the model sees them\n")
