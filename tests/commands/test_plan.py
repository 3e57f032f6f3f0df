"""`gnomon plan MODEL --memory GIB --write FILE`: a recipe that fits, or the least need."""

from pathlib import Path

import pytest

from gnomon.runs.resolve import resolve

FEW = "train.samples=4"


@pytest.fixture(autouse=True)
def offline(monkeypatch, tmp_path):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.chdir(tmp_path)


def test_a_model_gets_a_commented_recipe_that_fits(cli):
    printed = cli("plan", "gnomon-tiny", FEW, "--memory", 1.3, "--write", "mine.yaml").out
    assert "given up  32 samples at once: a step is" in printed
    assert printed.endswith("mine.yaml\n")
    text = Path("mine.yaml").read_text()
    assert text.startswith("# Planned for 1.3 GiB: a step of it takes about 1.2.\n# Given up: 32 ")
    assert "# the language model's linear layers in NF4" in text
    opened = resolve("mine.yaml").recipe
    assert (opened.model.name, opened.train.samples) == ("gnomon-tiny", 4)
    batch = opened.train.per_device_train_batch_size
    assert 1 <= batch < 32
    assert opened.train.gradient_accumulation_steps == 32 // batch
    # Again, from what was written: one header, and never in its place.
    cli("plan", "mine.yaml", "--memory", 80, "--write", "big.yaml")
    again = Path("big.yaml").read_text()
    assert again.count("# Planned for") == 1
    assert "# Given up: nothing.\n# Learns" in again
    assert resolve("big.yaml").recipe.train.per_device_train_batch_size == 32
    refusal = cli("plan", "gnomon-tiny", "--write", "mine.yaml", code=1).err
    assert "mine.yaml already exists" in refusal


@pytest.mark.parametrize(
    "model",
    [
        "meta-llama/Llama-3.2-11B-Vision-Instruct",
        "llama-3.2-11b-vision",
        "HuggingFaceM4/Idefics3-8B-Llama3",
    ],
)
def test_a_model_is_planned_with_the_loss_of_its_recipe(cli, model):
    cli("plan", model, FEW, "--config-only", "--memory", 80, "--write", "mine.yaml")
    name = model.partition("/")[2].lower().removesuffix("-instruct") or model
    assert resolve("mine.yaml").recipe.loss == resolve(f"clock-{name}-80gb").recipe.loss


def test_where_nothing_fits_the_least_is_said_and_nothing_written(cli, tmp_path):
    printed = cli("plan", "gnomon-tiny", FEW, "--memory", 1, "--write", "mine.yaml", code=1).out
    for part in ("of 1.0 GiB: IT DOES NOT FIT", "no setting here makes it fit: take a smaller",
                 "given up  activations: they are computed twice"):  # fmt: skip
        assert part in printed
    assert not list(tmp_path.iterdir())


def test_a_model_that_was_never_downloaded_is_planned_by_its_known_sizes(cli):
    printed = cli("plan", "Qwen/Qwen2-VL-2B-Instruct", FEW, "--memory", 24)
    assert "tokens    about" in printed.out
    assert "so it is planned by its known sizes, as with --config-only" in printed.err
    refusal = cli("plan", "someone/else", FEW, code=1).err
    assert "'someone/else' was never downloaded" in refusal


def test_own_data_gets_a_recipe_that_fits(tmp_path, cli):
    rows = "".join(f"{i} + 1?,{i + 1}\n" for i in range(40))
    (tmp_path / "sums.csv").write_text(f"question,answer\n{rows}")
    words = ["sums.csv", "columns.image=null", "train.lora_r=8"]
    cli("plan", *words, "--memory", 64, "--write", "sums.yaml")
    opened = resolve("sums.yaml").recipe
    assert opened.data[0].path == "sums.csv"
    assert (opened.train.lora_r, opened.train.per_device_train_batch_size) == (8, 8)
