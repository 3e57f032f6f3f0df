"""Whole small runs, as a recipe says; killed ones go on."""

import errno
import json
import os
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from peft import PeftModel
from PIL import Image
from pipeline_toys import UNEVEN, rows
from safetensors.torch import load_file
from torch.utils.data import DataLoader
from transformers import TrainingArguments

from gnomon import dialect, store
from gnomon.generators.looks.augment import augment_sample
from gnomon.losses import NumericVocab
from gnomon.losses.numbers.reader import read
from gnomon.pipeline.answering.local import generate_texts
from gnomon.pipeline.collate import Collator
from gnomon.pipeline.load import Loaded, load, load_trained
from gnomon.pipeline.training.log import LOG
from gnomon.pipeline.training.resuming import last_checkpoint
from gnomon.pipeline.training.settings import CHECKPOINTING, sft_config
from gnomon.pipeline.training.stream import Epoch, drawn
from gnomon.pipeline.training.train import make_trainer, save_weights, train
from gnomon.recipe import Columns, Loss, Model, Recipe, Source, Train
from gnomon.store import Samples

SOURCES = (
    Source(kind="clock", options={"size": 84, "split_by": "none"}),
    Source(kind="arithmetic"),
)
PARTS = {"ce", "mean_token_accuracy", "emd", "relative", "magnitude", "loss", "learning_rate"}


@pytest.fixture(scope="module")
def recipe(checkpoint):
    return Recipe(
        data=SOURCES,
        model=Model(name=str(checkpoint), dtype="bfloat16"),
        loss=Loss(name="ntil"),
        train=Train(
            samples=16,
            max_steps=4,
            learning_rate=2e-3,
            per_device_train_batch_size=2,
            gradient_accumulation_steps=2,
            lora_r=4,
            lora_dropout=0.1,
            save_steps=2,
            logging_steps=1,
        ),
    )


def samples_of(recipe):
    return store.mixture(recipe.data, split="train", seed=recipe.seed)


def run_of(recipe, run):
    train(recipe, samples_of(recipe), run)
    return run


@pytest.fixture(scope="module")
def whole(recipe, tmp_path_factory):
    """A run of four steps that nothing disturbed, with checkpoints at 2 and 4."""
    return run_of(recipe, tmp_path_factory.mktemp("whole"))


def log_of(run):
    return [json.loads(line) for line in (run / LOG).read_text().splitlines()]


def steps_of(run):
    return [line["step"] for line in log_of(run) if "loss" in line]


def weights_of(run):
    return load_file(run / "adapter" / "adapter_model.safetensors")


def assert_same_run(found, expected):
    """The adapter to the bit, and the log's numbers; only the time it took may differ."""
    ours, theirs = weights_of(found), weights_of(expected)
    assert ours.keys() == theirs.keys()
    assert all(torch.equal(ours[name], theirs[name]) for name in theirs)
    lines, others = ([line for line in log_of(run) if "loss" in line] for run in (found, expected))
    assert lines == others


def killed_after(step, whole, run):
    """A run as a kill leaves it: checkpoints up to that step, a log that is ahead of them."""
    for checkpoint in (whole / "checkpoints").glob("checkpoint-*"):
        if int(checkpoint.name.rpartition("-")[2]) <= step:
            shutil.copytree(checkpoint, run / "checkpoints" / checkpoint.name)
    lines = (whole / LOG).read_text().splitlines(keepends=True)
    run.mkdir(exist_ok=True)
    (run / LOG).write_text("".join(lines[: step + 1]))
    return run


def test_a_run_leaves_its_adapter_and_its_log(whole):
    assert {path.name for path in whole.iterdir()} == {"adapter", "checkpoints", LOG}
    assert {"adapter_config.json", "adapter_model.safetensors"} <= {
        path.name for path in (whole / "adapter").iterdir()
    }
    assert steps_of(whole) == [1, 2, 3, 4]
    for line in log_of(whole)[:-1]:
        assert line.keys() >= PARTS
    assert log_of(whole)[-1]["train_runtime"] > 0


@pytest.mark.slow
def test_an_adapter_of_a_float32_model_is_float32_when_trained_and_loaded(recipe, tmp_path):
    """Processors without AVX-512 multiply bf16 some fifty times as slowly."""
    given = replace(recipe, model=replace(recipe.model, dtype="float32"))
    run = run_of(replace(given, train=replace(given.train, max_steps=1)), tmp_path)
    assert {weight.dtype for weight in weights_of(run).values()} == {torch.float32}
    loaded = load_trained(given.model, run).model
    lora = [weight for name, weight in loaded.named_parameters() if "lora_" in name]
    assert lora
    assert {weight.dtype for weight in lora} == {torch.float32}


def test_an_adapter_has_the_language_layers_alone(whole):
    weights = weights_of(whole)
    assert len(weights) == 2 * 21
    assert all(".language_model." in name for name in weights)
    assert {weight.dtype for weight in weights.values()} == {torch.bfloat16}
    assert any(weight.abs().sum() > 0 for name, weight in weights.items() if "lora_B" in name)


@pytest.mark.slow
def test_a_run_is_the_seeds(recipe, whole, tmp_path):
    assert_same_run(run_of(recipe, tmp_path), whole)
    other = run_of(replace(recipe, seed=1), tmp_path / "other")
    ours, theirs = weights_of(whole), weights_of(other)
    assert not all(torch.equal(ours[name], theirs[name]) for name in ours)


def test_a_killed_run_goes_on_to_the_same_bits(recipe, whole, tmp_path):
    assert_same_run(run_of(recipe, killed_after(2, whole, tmp_path)), whole)


def test_a_run_killed_at_any_step_leaves_the_same_files(recipe, whole, tmp_path):
    """After its last step nothing is trained, and no batch has padded what the tokenizer says."""
    logged = (whole / LOG).read_text().splitlines()
    for step in (2, 4):
        run = run_of(recipe, killed_after(step, whole, tmp_path / str(step)))
        assert {file.name for file in run.iterdir()} == {file.name for file in whole.iterdir()}
        assert (run / LOG).read_text().splitlines()[:4] == logged[:4]
        ours, theirs = (sorted((each / "adapter").iterdir()) for each in (run, whole))
        assert [file.name for file in ours] == [file.name for file in theirs]
        for one, other in zip(ours, theirs, strict=True):
            if one.name != "training_args.bin":  # which has the run's path
                assert one.read_bytes() == other.read_bytes(), one.name


@pytest.mark.slow
def test_a_checkpoint_that_a_kill_cut_short_is_written_anew(recipe, whole, tmp_path):
    """PEFT would read its card, and its old state would make half of a new one pass for whole."""
    run = killed_after(2, whole, tmp_path)
    half = run / "checkpoints" / "checkpoint-4"
    half.mkdir()
    (half / "README.md").write_text("---\nlicense: [\n---\n")
    (half / "stranger.bin").touch()
    assert_same_run(run_of(recipe, run), whole)
    names = {file.name for file in (whole / "checkpoints" / "checkpoint-4").iterdir()}
    assert {file.name for file in half.iterdir()} == names


@pytest.mark.slow
def test_checkpoints_that_were_being_removed_are_removed_when_a_run_ends(recipe, whole, tmp_path):
    run = killed_after(4, whole, tmp_path)
    (run / "checkpoints" / "checkpoint-1").mkdir()
    (run / "checkpoints" / "checkpoint-1" / "optimizer.pt").touch()
    run_of(recipe, run)
    names = {file.name for file in (run / "checkpoints").iterdir()}
    assert names == {"checkpoint-2", "checkpoint-4"}


@pytest.mark.slow
def test_a_resumed_run_logs_what_a_whole_one_does(recipe, tmp_path):
    """Three steps a line end at no checkpoint of two."""
    rarely = replace(recipe, train=replace(recipe.train, logging_steps=3))
    done = run_of(rarely, tmp_path / "done")
    assert_same_run(run_of(rarely, killed_after(2, done, tmp_path / "killed")), done)
    assert not any("train_loss" in line for line in log_of(done))


def test_several_gpus_in_one_process_are_refused_before_the_weights_are_loaded(
    recipe, tmp_path, monkeypatch
):
    """transformers would wrap the model in nn.DataParallel, which breaks weights in 4 bits."""
    monkeypatch.setattr(TrainingArguments, "n_gpu", 2)
    monkeypatch.setattr(
        "gnomon.pipeline.training.train.load", lambda *_, **__: pytest.fail("loaded")
    )
    launch = "2 GPUs are visible.*`accelerate launch --num_processes 2 -m gnomon train"
    with pytest.raises(ValueError, match=launch):
        run_of(recipe, tmp_path)


@pytest.mark.slow
def test_a_run_killed_before_its_first_checkpoint_begins_again(recipe, whole, tmp_path):
    killed_after(0, whole, tmp_path)
    (tmp_path / "checkpoints").mkdir()
    assert_same_run(run_of(recipe, tmp_path), whole)


@pytest.mark.slow
def test_a_run_killed_while_it_wrote_a_line_goes_on(recipe, whole, tmp_path):
    run = killed_after(2, whole, tmp_path)
    with (run / LOG).open("a") as file:
        file.write('{"step": 3, "lo')
    assert_same_run(run_of(recipe, run), whole)


@pytest.mark.slow
@pytest.mark.parametrize("left", [["adapter_model.safetensors", "adapter_config.json"], []])
def test_a_run_killed_while_it_wrote_a_checkpoint_goes_on_from_the_one_before(
    recipe, whole, tmp_path, left
):
    run = killed_after(2, whole, tmp_path)
    half = run / "checkpoints" / "checkpoint-4"
    half.mkdir()
    for name in left:
        shutil.copy(whole / "checkpoints" / "checkpoint-4" / name, half)
    assert_same_run(run_of(recipe, run), whole)


NEEDED = (
    "adapter_config.json",
    "adapter_model.safetensors",
    "optimizer.pt",
    "scheduler.pt",
    "rng_state.pth",
    "trainer_state.json",
)


def cut(file):
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def zeroed(file):
    """As a power cut leaves it: as long as it was."""
    held = bytearray(file.read_bytes())
    held[len(held) // 4 : len(held) // 2] = bytes(len(held) // 2 - len(held) // 4)
    file.write_bytes(held)


DAMAGES = [
    *((name, damage) for name in NEEDED for damage in (Path.unlink, cut)),
    *((name, zeroed) for name in NEEDED if not name.endswith(".safetensors")),  # no checksum
]


@pytest.mark.parametrize(("name", "damage"), DAMAGES)
def test_a_damaged_checkpoint_is_told_and_the_one_before_is_taken(
    whole, tmp_path, capsys, name, damage
):
    run = killed_after(4, whole, tmp_path)
    assert last_checkpoint(run / "checkpoints", adapter=True).name == "checkpoint-4"
    damage(run / "checkpoints" / "checkpoint-4" / name)
    assert last_checkpoint(run / "checkpoints", adapter=True).name == "checkpoint-2"
    said = capsys.readouterr().err
    stem, dot, suffix = name.partition(".")
    many = "*" if name in ("rng_state.pth", "adapter_model.safetensors") else ""
    missing = f"checkpoint-4/{stem}{many}{dot}{suffix} is missing"
    assert (missing if damage is Path.unlink else f"checkpoint-4/{name} is damaged") in said
    assert said.endswith("resuming from checkpoint-2\n")
    assert last_checkpoint(run / "checkpoints", adapter=True, quiet=True).name == "checkpoint-2"
    assert not capsys.readouterr().err


@pytest.mark.slow
def test_a_run_whose_newest_checkpoint_is_damaged_goes_on_to_the_same_bits(recipe, whole, tmp_path):
    """Without its optimizer's state it would train another adapter, and say nothing of it."""
    run = killed_after(4, whole, tmp_path)
    (run / "checkpoints" / "checkpoint-4" / "optimizer.pt").unlink()
    assert_same_run(run_of(recipe, run), whole)


def test_where_no_whole_checkpoint_is_left_nothing_is_trained(recipe, whole, tmp_path):
    run = killed_after(4, whole, tmp_path)
    (run / "checkpoints" / "checkpoint-2" / "rng_state.pth").unlink()
    cut(run / "checkpoints" / "checkpoint-4" / "optimizer.pt")
    before = sorted(run.rglob("*"))
    with pytest.raises(
        ValueError,
        match=r"no whole checkpoint \(checkpoint-4/optimizer.pt is damaged .*checkpoint-2/rng_state"
        r"\*.pth is missing\): delete \S+/checkpoints to begin again",
    ):
        run_of(recipe, run)
    assert sorted(run.rglob("*")) == before


def test_a_kill_in_the_first_checkpoint_begins_again(whole, tmp_path, capsys):
    run = killed_after(2, whole, tmp_path)
    (run / "checkpoints" / "checkpoint-2" / "trainer_state.json").unlink()
    assert last_checkpoint(run / "checkpoints", adapter=True) is None
    assert capsys.readouterr().err.endswith("is missing: starting again\n")


def test_a_best_checkpoint_that_is_damaged_is_never_taken_at_the_end(whole, tmp_path):
    run = killed_after(4, whole, tmp_path)
    file = run / "checkpoints" / "checkpoint-4" / "trainer_state.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "best_global_step": 2}))
    cut(run / "checkpoints" / "checkpoint-2" / "adapter_model.safetensors")
    assert last_checkpoint(run / "checkpoints", adapter=True).name == "checkpoint-4"
    with pytest.raises(ValueError, match=r"checkpoint-2/adapter_model\.safetensors is damaged"):
        last_checkpoint(run / "checkpoints", adapter=True, takes_best=True)


@pytest.mark.parametrize(
    ("saved", "processes", "found"),
    [
        (["_0", "_1"], 2, 4),
        (["_0"], 2, 2),
        (["_1"], 2, 2),
        (["_0", "_1", "_2"], 4, 2),
        (["_0", "_1"], 1, 4),
        ([""], 2, 4),
        ([], 2, 2),
    ],
)
def test_every_process_has_its_rng_state_unless_others_were_so_many(
    whole, tmp_path, saved, processes, found
):
    run = killed_after(4, whole, tmp_path)
    for step, names in ((4, saved), (2, [f"_{rank}" for rank in range(processes)])):
        file = run / "checkpoints" / f"checkpoint-{step}" / "rng_state.pth"
        state = file.read_bytes()
        file.unlink()
        for name in names:
            file.with_stem(f"rng_state{name}").write_bytes(state)
    taken = last_checkpoint(run / "checkpoints", adapter=True, processes=processes)
    assert taken.name == f"checkpoint-{found}"


def test_of_other_trainers_checkpoints_only_the_last_file_is_looked_at(whole, tmp_path):
    run = killed_after(4, whole, tmp_path)
    newest = run / "checkpoints" / "checkpoint-4"
    for name in ("optimizer.pt", "adapter_model.safetensors"):
        (newest / name).unlink()
    assert last_checkpoint(run / "checkpoints", adapter=True, sharded=True) == newest


def test_a_finished_run_is_left_as_it_is(recipe, whole, tmp_path):
    run = tmp_path / "again"
    shutil.copytree(whole, run)
    assert_same_run(run_of(recipe, run), whole)


@pytest.mark.slow
def test_what_was_trained_answers_as_it_did(recipe, tmp_path):
    torch.manual_seed(0)
    loaded = load(recipe.model)
    fast = replace(recipe, train=replace(recipe.train, learning_rate=0.02, lora_dropout=0.0))
    trainer = make_trainer(fast, loaded, samples_of(fast), tmp_path)
    trainer.train()
    trainer.save_model(str(tmp_path / "adapter"))
    trained = Loaded(trainer.model, loaded.processor, loaded.family)
    again = load_trained(fast.model, tmp_path)
    assert isinstance(again.model, PeftModel)
    assert not again.model.training
    batch = Collator(loaded.family, loaded.processor)(rows(UNEVEN))
    trainer.model.eval()
    with torch.no_grad():
        logits, others = (m.model(**batch).logits for m in (trained, again))
    torch.testing.assert_close(logits, others, rtol=0, atol=0)
    untrained = generate_texts(load(fast.model), UNEVEN, max_new_tokens=6)
    answers = generate_texts(trained, UNEVEN, max_new_tokens=6)
    assert answers == generate_texts(again, UNEVEN, max_new_tokens=6)
    assert answers != untrained


@pytest.mark.slow
@pytest.mark.parametrize(
    "parts",
    [
        {"language": "lora", "projector": "full"},
        {"language": "lora", "vision": "full"},
        {"language": "lora", "vision": "full", "projector": "full"},
        {"language": "lora", "vision": "lora", "projector": "lora"},
        {"language": "full", "vision": "lora"},
    ],
    ids=lambda parts: ",".join(f"{k} {v}" for k, v in parts.items()),
)
@pytest.mark.parametrize("dtype", ["bfloat16", "float32"])
def test_every_mixture_of_parts_trains_and_comes_back(recipe, tmp_path, parts, dtype):
    mixed = replace(
        recipe,
        model=replace(recipe.model, dtype=dtype, load_in_4bit=parts["language"] == "lora"),
        train=replace(recipe.train, max_steps=1, **parts),
    )
    loaded = load(mixed.model)
    trainer = make_trainer(mixed, loaded, samples_of(mixed), tmp_path)
    trainer.train()
    trainer.save_model(str(tmp_path / "adapter"))
    again = load_trained(mixed.model, tmp_path)
    batch = Collator(loaded.family, loaded.processor)(rows(UNEVEN))
    trainer.model.eval()
    with torch.no_grad():
        logits, others = (m(**batch).logits for m in (trainer.model, again.model))
    assert torch.equal(logits, others)


@pytest.mark.slow
def test_a_model_that_trains_whole_is_saved_whole(recipe, checkpoint, tmp_path):
    full = replace(
        recipe,
        model=Model(name=str(checkpoint), load_in_4bit=False, dtype="float32"),
        train=replace(recipe.train, language="full", vision="full", projector="full", max_steps=2),
    )
    run = run_of(full, tmp_path)
    assert (run / "model" / "model.safetensors").is_file()
    assert not (run / "adapter").exists()
    again = load_trained(full.model, run)
    before = dict(load(full.model).model.named_parameters())
    moved = [n for n, p in again.model.named_parameters() if not torch.equal(p, before[n])]
    assert any(".visual." in name for name in moved)
    assert any(".language_model." in name for name in moved)
    assert generate_texts(again, UNEVEN[:2], max_new_tokens=2) is not None


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["bfloat16", "float32"])
def test_a_killed_run_of_a_whole_model_goes_on_to_the_same_bits(recipe, tmp_path, dtype):
    """Qwen2-VL is saved under names that stock transformers does not find again at a resume."""
    full = replace(
        recipe,
        model=replace(recipe.model, load_in_4bit=False, dtype=dtype),
        train=replace(recipe.train, language="full", vision="full", projector="full"),
    )
    done = run_of(full, tmp_path / "whole")
    killed = killed_after(4, done, tmp_path / "killed")
    cut(killed / "checkpoints" / "checkpoint-4" / "model.safetensors")
    again = run_of(full, killed)
    found, expected = (load_file(run / "model" / "model.safetensors") for run in (again, done))
    assert all(torch.equal(found[name], expected[name]) for name in expected)
    assert [line for line in log_of(again) if "loss" in line] == [
        line for line in log_of(done) if "loss" in line
    ]


@pytest.mark.slow
def test_what_the_loss_will_see_is_said_before_the_training(recipe, tmp_path, capsys):
    run_of(replace(recipe, train=replace(recipe.train, max_steps=1)), tmp_path)
    assert "digits that ntil sees: 100 % (number), 100 % (time)\n" in capsys.readouterr().err


def test_a_loss_that_would_see_nothing_is_refused_before_the_training(
    recipe, tmp_path, monkeypatch
):
    """As a tokenizer that writes whole answers in one token leaves it."""
    monkeypatch.setattr(NumericVocab, "spans", lambda self, labels: unread(self, labels))
    with pytest.raises(ValueError, match=r"sees no digit of these answers: the tokenizer writes"):
        run_of(recipe, tmp_path)
    assert not (tmp_path / LOG).exists()


def unread(vocab, labels):
    return read(torch.full_like(labels, -100), vocab.tables)


@pytest.mark.slow
def test_cross_entropy_alone_logs_no_numeric_part(recipe, tmp_path):
    plain = replace(recipe, loss=Loss(name="ce"), train=replace(recipe.train, max_steps=1))
    line = log_of(run_of(plain, tmp_path))[0]
    assert line["loss"] == pytest.approx(line["ce"], rel=1e-4)
    assert not {"emd", "relative", "magnitude"} & line.keys()


def test_a_loss_has_the_recipes_options(recipe, tmp_path):
    given = replace(recipe, loss=Loss(name="ntil", options={"base": 2.0, "weights": [1, 0, 0.5]}))
    trainer = make_trainer(given, load(given.model), samples_of(given), tmp_path)
    loss = trainer.objective.loss
    assert loss.base == 2.0
    assert loss.weights == {"emd": 1.0, "magnitude": 0.5}
    assert loss.vocab.size == trainer.model.get_output_embeddings().weight.shape[0]


def test_the_objective_is_the_recipes(recipe, tmp_path):
    weighed = Loss(weight=0.7, balance="ce_ratio", schedule="cosine", warmup=0.2, numeric_mass=0.1)
    given = replace(recipe, loss=weighed)
    objective = make_trainer(given, load(given.model), samples_of(given), tmp_path).objective
    for name in ("weight", "balance", "schedule", "warmup", "numeric_mass"):
        assert getattr(objective, name) == getattr(weighed, name), name


@pytest.mark.slow
def test_a_sample_is_never_cut(recipe, tmp_path):
    """Without a max_length of the recipe's, the model's own 1,024 tokens are the limit."""
    for given, limit in ((None, 1024), (20, 20)):
        bounded = replace(recipe, train=replace(recipe.train, max_length=given))
        trainer = make_trainer(bounded, load(bounded.model), samples_of(bounded), tmp_path)
        assert trainer.data_collator.max_length == limit
    with pytest.raises(
        ValueError, match=r"sample \S+: its \d+ tokens do not fit into max_length=20"
    ):
        trainer.train()


def digits_of(samples):
    answers = [dialect.create("qwen2-vl").write(sample.target) for sample in samples]
    return sum(character.isdigit() for answer in answers for character in answer)


@pytest.mark.slow
def test_numeric_terms_see_the_final_answer_alone(recipe, tmp_path):
    """Sums with their working: the cross-entropy is of all of it, the digits of the answer's."""
    worked = [replace(s, rationale="9 and 9 are 18, 18 and 9 are 27") for s in UNEVEN]
    lines = {}
    for only in (False, True):
        given = replace(
            recipe,
            loss=Loss(name="emd", final_answer_only=only),
            train=replace(recipe.train, samples=8, max_steps=1, per_device_train_batch_size=8),
        )
        trainer = make_trainer(given, load(given.model), worked, tmp_path)
        trainer.train()
        lines[only] = trainer.state.log_history[0]
        batch = trainer.data_collator(rows(worked))
        spans = trainer.objective.spans(batch["labels"], batch.get("final_labels"))
        count = trainer.objective.counts(batch["labels"], spans)["emd"]
        assert count == digits_of(UNEVEN) + (0 if only else 8 * 9)
    assert lines[True]["ce"] == lines[False]["ce"]
    assert lines[True]["emd"] != lines[False]["emd"]


def test_activations_are_checkpointed_only_where_the_recipe_says(recipe, tmp_path):
    """TRL turns it on by default; a recipe's False must reach the model."""
    for wanted in (False, True):
        given = replace(recipe, train=replace(recipe.train, activation_checkpointing=wanted))
        settings = sft_config(given, tmp_path)
        assert getattr(settings, CHECKPOINTING) is wanted
        assert settings.gradient_checkpointing is wanted


@pytest.mark.slow
def test_checkpointed_activations_train_the_same(recipe, whole, tmp_path):
    """To the bit: what is computed twice is the same both times, dropout included."""
    again = replace(recipe, train=replace(recipe.train, activation_checkpointing=True))
    assert_same_run(run_of(again, tmp_path), whole)


@pytest.mark.slow
def test_worker_processes_train_the_same(recipe, whole, tmp_path):
    apart = replace(recipe, train=replace(recipe.train, dataloader_num_workers=1))
    assert_same_run(run_of(apart, tmp_path), whole)


def test_augmented_pictures_are_those_of_the_pass_after_a_kill_and_in_workers(
    recipe, tmp_path, monkeypatch
):
    """Six rows are gone through nearly twice; the kill comes in the middle of the second pass."""
    lines = ["image,answer,split"]
    for number in range(6):
        Image.linear_gradient("L").rotate(60 * number).resize((84, 84)).save(
            tmp_path / f"{number}.png"
        )
        lines.append(f"{number}.png,{number},train")
    (tmp_path / "labels.csv").write_text("\n".join(lines))
    columns = Columns(ask="How far?", kind="number", split="split")
    source = Source(path=str(tmp_path / "labels.csv"), columns=columns, augment="light")
    # Without dropout, whose noise depends on what loaders draw of torch's for their workers.
    settings = replace(
        recipe.train, samples=6, max_steps=5, save_steps=4, gradient_accumulation_steps=1,
        lora_dropout=0.0,
    )  # fmt: skip
    light = replace(recipe, data=(source,), train=settings)
    passes = []

    def noted(sample, strength, seed, index, epoch):
        passes.append(epoch)
        return augment_sample(sample, strength, seed, index, epoch)

    monkeypatch.setattr("gnomon.store.reading.augmented.augment_sample", noted)
    whole = run_of(light, tmp_path / "whole")
    # TRL looks at a sample first, and the loader reads a batch ahead.
    assert passes == [0] + [0] * 6 + [1] * 6
    passes.clear()
    assert_same_run(run_of(light, killed_after(4, whole, tmp_path / "killed")), whole)
    assert passes == [0] + [1] * 4
    workers = replace(light, train=replace(settings, dataloader_num_workers=2))
    assert_same_run(run_of(workers, tmp_path / "workers"), whole)
    off = run_of(replace(light, data=(replace(source, augment="off"),)), tmp_path / "off")
    plain = run_of(replace(light, data=(replace(source, augment=None),)), tmp_path / "plain")
    assert_same_run(off, plain)
    assert log_of(off)[0]["loss"] != log_of(whole)[0]["loss"]


def test_a_loaders_workers_learn_which_pass_it_is():
    class Passes(Samples):
        """Samples that say which pass they are read in."""

        length = 4

        def at(self, index):
            return index, 0

        def in_epoch(self, index, epoch):
            return index, epoch

        def describe(self):
            return {}

    epoch = Epoch()
    rows = drawn(Passes(), 4, lambda pair: {"pair": pair}, epoch=epoch)
    loader = DataLoader(
        rows, 2, num_workers=2, persistent_workers=True, collate_fn=lambda batch: batch
    )
    for number in (0, 1, 3):
        epoch.number = number
        pairs = [row["pair"] for batch in loader for row in batch]
        assert pairs == [(index, number) for index in range(4)]


@pytest.mark.slow
@pytest.mark.parametrize("workers", [0, 1])
def test_what_was_written_first_trains_the_same_as_what_is_drawn(recipe, whole, tmp_path, workers):
    store.write(samples_of(recipe), tmp_path / "data", n=recipe.train.samples)
    given = replace(recipe, train=replace(recipe.train, dataloader_num_workers=workers))
    train(given, store.open(tmp_path / "data"), tmp_path / "run")
    assert_same_run(tmp_path / "run", whole)


def test_a_key_that_trl_has_not_is_refused_by_name(recipe, tmp_path):
    wrong = replace(recipe, train=replace(recipe.train, sft={"max_gradnorm": 0.5}))
    with pytest.raises(ValueError, match=r"train.sft.max_gradnorm: 0.5: .* max_grad_norm"):
        sft_config(wrong, tmp_path)


def test_trls_settings_are_the_recipes(recipe, tmp_path):
    settings = sft_config(recipe, tmp_path)
    for name in ("max_steps", "learning_rate", "per_device_train_batch_size", "save_steps"):
        assert getattr(settings, name) == getattr(recipe.train, name)
    assert settings.max_length is None
    assert settings.report_to in ("none", [])
    assert not settings.bf16
    assert not settings.fp16
    assert settings.output_dir == str(tmp_path / "checkpoints")
    own = replace(recipe, train=replace(recipe.train, sft={"optim": "sgd", "max_grad_norm": 0.5}))
    settings = sft_config(own, tmp_path)
    assert (settings.optim, settings.max_grad_norm) == ("sgd", 0.5)


def test_samples_are_drawn_when_asked_for(recipe):
    samples = samples_of(recipe)
    rows_drawn = drawn(samples, 5)
    assert len(rows_drawn) == 5
    assert [rows_drawn[i]["sample"].id for i in (4, 0)] == [samples[i].id for i in (4, 0)]
    assert [s.id for s in rows_drawn[1:3]["sample"]] == [samples[i].id for i in (1, 2)]


def test_nothing_phones_home(recipe, tmp_path, monkeypatch):
    import huggingface_hub.utils
    import trl.trainer.base_trainer

    def told(*args, **kwargs):
        raise AssertionError(f"telemetry: {args} {kwargs}")

    monkeypatch.delenv("CI", raising=False)
    monkeypatch.delenv("HF_HUB_DISABLE_TELEMETRY", raising=False)
    monkeypatch.setattr(huggingface_hub.utils, "send_telemetry", told)
    monkeypatch.setattr(trl.trainer.base_trainer, "send_telemetry", told)
    run_of(replace(recipe, train=replace(recipe.train, max_steps=1)), tmp_path)


def test_a_save_that_fails_leaves_nothing_on_the_full_disk(tmp_path, monkeypatch):
    def fill(folder):
        Path(folder).mkdir()
        (Path(folder) / "model.safetensors").write_bytes(bytes(9))
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    process = SimpleNamespace(is_main_process=True, wait_for_everyone=lambda: None)
    trainer = SimpleNamespace(model=None, accelerator=process, save_model=fill)
    monkeypatch.setattr("gnomon.pipeline.training.train.reset_padding", lambda _: None)
    with pytest.raises(OSError, match="No space left"):
        save_weights(trainer, tmp_path)
    assert not list(tmp_path.iterdir())
