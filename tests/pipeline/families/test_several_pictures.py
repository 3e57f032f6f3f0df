"""Questions about several pictures: the families that take them, trained, planned, sent, shown."""

import json
from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch
from PIL import Image, ImageOps
from pipeline_toys import CLOCKS, SUMS, assert_close, batch_of, boxed, ours, stock, trained

from gnomon import generators
from gnomon.pipeline import families
from gnomon.pipeline.answering.server import Server
from gnomon.pipeline.collate import prompt_of
from gnomon.pipeline.exporting.export import export
from gnomon.pipeline.planning.budget import count_tokens
from gnomon.recipe import Model
from gnomon.runs.sheets import resize_sample

BETWEEN = generators.create("clock", size=84, split_by="none", questions=["between"])
WIDE = Image.effect_noise((200, 60), 90).convert("RGB")
PAIRS = [BETWEEN[0], replace(boxed(1), more_images=(CLOCKS[2].image, WIDE))]
SEVERAL = [name for name in families.FAMILIES if families.load(name).multi_image]
TRAINED = ("qwen2-vl", "qwen3-vl", "idefics3", "internvl")


@pytest.fixture(scope="module", params=[name for name in SEVERAL if name not in families.EMBEDDED])
def name(request):
    return request.param


def logits(loaded, samples):
    """Of each sample's labels."""
    batch = batch_of(loaded, samples)
    labels = batch.pop("labels")
    with torch.no_grad():
        found = loaded.model(**batch).logits
    return [row[:-1][own[1:] != -100] for row, own in zip(found, labels, strict=True)]


def test_each_picture_counts_and_neighbours_do_not(exact):
    """Two pictures, one, none and three in one batch."""
    samples = [PAIRS[0], CLOCKS[0], SUMS[0], PAIRS[1]]
    for sample, among in zip(samples, logits(exact, samples), strict=True):
        (alone,) = logits(exact, [sample])
        torch.testing.assert_close(among, alone, rtol=1e-3, atol=1e-3)
        for place in range(len(sample.images)):
            images = list(sample.images)
            images[place] = ImageOps.invert(images[place])
            (other,) = logits(exact, [replace(sample, image=images[0], more_images=images[1:])])
            assert (other - alone).abs().max() > 1e-4


@pytest.mark.slow
def test_loss_and_gradient_are_those_of_stock_trl(exact, tmp_path):
    if exact.family.name not in TRAINED:
        pytest.skip("trained alike")
    samples = [PAIRS[0], CLOCKS[0]]
    (theirs,), (expected,), _ = trained(stock, exact, tmp_path, (2, 1), samples=samples)
    (line,), (gradient,), _ = trained(ours, exact, tmp_path, (2, 1), samples=samples)
    assert line["loss"] == pytest.approx(theirs["loss"], rel=1e-4)
    assert_close(gradient, expected, 1e-4)


def test_a_plan_counts_the_tokens_of_every_picture(exact):
    recipe = SimpleNamespace(
        model=Model(name=exact.model.config._name_or_path), loss=SimpleNamespace(name="ce")
    )
    config = exact.model.config
    both = replace(PAIRS[1], target=CLOCKS[0].target)
    alone = [replace(both, image=image, more_images=()) for image in both.images]
    (found,), _ = count_tokens(exact.family, config, recipe, [both])
    each, _ = count_tokens(exact.family, config, recipe, alone)
    assert found.picture == sum(one.picture for one in each)
    assert found.patches == sum(one.patches for one in each)


@pytest.mark.parametrize("name", ["llava", "mllama", "auto"])
def test_a_family_of_one_picture_names_those_that_take_several(name):
    family = families.create(name)
    family.vision = families.create("llava").vision
    known = "gemma3, gemma4, gnomon-tiny, gnomon-tiny-charts, gnomon-tiny-gauges, idefics3"
    with pytest.raises(ValueError, match=f"has 2 pictures, but {name} takes one: .* {known}"):
        prompt_of(family, None, PAIRS[0])


def test_a_preview_shows_each_as_it_is_resized(blank):
    seen = resize_sample(blank.family, blank.processor, PAIRS[1])
    assert [i.size for i in seen.images] == [
        blank.family.resized_size(blank.processor, i.size) for i in PAIRS[1].images
    ]


def test_a_server_is_sent_all_of_them(monkeypatch):
    asked = []
    reply = json.dumps({"choices": [{"message": {"content": "69"}}]})
    monkeypatch.setattr(Server, "_send", lambda *words: asked.append(words[-1]) or (200, {}, reply))
    server = Server("http://localhost/v1", "m")
    assert server.ask("?", PAIRS[0].images, max_tokens=9).text == "69"
    (message,) = asked[0]["messages"]
    assert [part["type"] for part in message["content"]] == ["image_url", "image_url", "text"]


@pytest.mark.parametrize("form", ["trl", "messages", "swift", "llama-factory"])
def test_rows_of_other_trainers_have_all_of_them(form, tmp_path):
    family = families.create("qwen2-vl")
    out = export(PAIRS, 2, family, form, tmp_path / "out")
    found = [json.loads(line) for line in (out / "data.jsonl").read_text().splitlines()]
    for row, sample in zip(found, PAIRS, strict=True):
        for path, image in zip(row["images"], sample.images, strict=True):
            with Image.open(out / path) as stored:
                assert stored.tobytes() == image.tobytes()
        (asked, *_) = row["prompt" if form == "trl" else "messages"]
        placeholders = str(asked["content"]).count(
            "<image>" if form in ("swift", "llama-factory") else "'image'"
        )
        assert placeholders == len(sample.images)


@pytest.mark.parametrize("form", ["llava", "lmms-eval"])
def test_rows_of_one_picture_refuse_them_by_name(form, tmp_path):
    with pytest.raises(ValueError, match=f"{PAIRS[0].id} has 2 pictures, but {form} takes one"):
        export(PAIRS, 2, families.create("qwen2-vl"), form, tmp_path / "out")
    assert not (tmp_path / "out").exists()
