"""A training that is measured as it goes: by its own answers, without being changed by it."""

import json
import shutil
from dataclasses import replace

import pytest
import torch
from pipeline_toys import Gradients
from safetensors.torch import load_file

from gnomon import store
from gnomon.commands.resolve import resolve, resolve_values
from gnomon.pipeline.load import load
from gnomon.pipeline.training.log import LOG
from gnomon.pipeline.training.train import last_checkpoint, make_trainer, train
from gnomon.pipeline.training.validation import Validation
from gnomon.recipe import Eval, Model, Recipe, RecipeError, Source, Train, plain_values

SOURCES = (
    Source(kind="clock", options={"size": 84, "split_by": "none"}),
    Source(kind="arithmetic"),
)


@pytest.fixture(scope="module")
def recipe(checkpoint):
    return Recipe(
        data=SOURCES,
        model=Model(name=str(checkpoint), dtype="bfloat16"),
        train=Train(
            samples=12,
            max_steps=6,
            learning_rate=2e-3,
            lr_scheduler_type="constant",
            per_device_train_batch_size=2,
            lora_r=4,
            lora_dropout=0.1,
            save_steps=100,
            logging_steps=1,
            eval_steps=2,
            eval_samples=6,
        ),
        eval=Eval(batch_size=4, max_new_tokens=3),
    )


def changed(recipe, **settings):
    return replace(recipe, train=replace(recipe.train, **settings))


def samples_of(recipe):
    return store.mixture(recipe.data, split="train", seed=recipe.seed)


def run_of(recipe, run):
    train(recipe, samples_of(recipe), run)
    return run


@pytest.fixture
def graded(monkeypatch):
    """Evaluations that come out as the test needs them, in place of generation."""

    def grade(*marks):
        left = iter(marks)
        monkeypatch.setattr(Validation, "__call__", lambda self, model: {"correct": next(left)})

    return grade


def evaluations(run):
    lines = map(json.loads, (run / LOG).read_text().splitlines())
    return {line["step"]: line for line in lines if "eval_loss" in line}


def weights_of(folder):
    return load_file(folder / "adapter_model.safetensors")


def assert_same(found, expected):
    assert found.keys() == expected.keys()
    assert all(torch.equal(found[name], expected[name]) for name in expected)


@pytest.mark.slow
def test_held_out_samples_are_answered_and_scored(recipe, tmp_path):
    found = evaluations(run_of(recipe, tmp_path))
    assert list(found) == [2, 4, 6]
    for line in found.values():
        assert 0 <= line["eval_correct"] <= 1
        assert line.keys() > {"eval_ce", "eval_emd", "eval_digit_accuracy", "eval_time_exact"}
        assert line.keys() > {"eval_time_charged", "eval_number_exact", "eval_number_unread"}
    assert len({line["eval_ce"] for line in found.values()}) == 3


def test_they_are_of_neither_the_training_nor_the_exam(recipe):
    assert recipe.watched_split == "val"
    assert replace(recipe, eval=Eval(split="val")).watched_split == "test"


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["bfloat16", "float32"])
def test_an_evaluation_changes_no_gradient(recipe, tmp_path, dtype):
    """On CPUs with AVX512-BF16 the first one repacks 4-bit layers, and gradients are lost."""
    found = {}
    for steps in (2, None):
        given = changed(replace(recipe, model=replace(recipe.model, dtype=dtype)), eval_steps=steps)
        trainer = make_trainer(given, load(given.model), samples_of(given), tmp_path / str(steps))
        gradients = Gradients()
        trainer.add_callback(gradients)
        trainer.train()
        found[steps] = gradients.found
        assert len(gradients.found) == 6
    assert {name for name in found[2][0] if "lora_" in name} == found[2][0].keys()
    for watched, unwatched in zip(found[2], found[None], strict=True):
        assert_same(watched, unwatched)
    after = found[2][2]
    assert all(gradient.abs().sum() > 0 for gradient in after.values())


@pytest.mark.slow
def test_the_best_checkpoint_is_what_a_run_ends_with(recipe, tmp_path, graded):
    graded(0.2, 0.7, 0.7)
    run = run_of(recipe, tmp_path)
    best = weights_of(run / "checkpoints" / "checkpoint-4")
    assert_same(weights_of(run / "adapter"), best)
    last = weights_of(run / "checkpoints" / "checkpoint-6")
    assert not all(torch.equal(last[name], best[name]) for name in best)
    assert {weight.dtype for weight in best.values()} == {torch.bfloat16}


@pytest.mark.slow
def test_the_best_by_a_deviation_is_the_least(recipe, tmp_path, monkeypatch):
    marks = iter([90.0, 30.0, 60.0])
    monkeypatch.setattr(Validation, "__call__", lambda self, model: {"time_deviation": next(marks)})
    run = run_of(changed(recipe, metric="time_deviation"), tmp_path)
    best = weights_of(run / "checkpoints" / "checkpoint-4")
    assert_same(weights_of(run / "adapter"), best)


@pytest.mark.slow
def test_a_figure_that_cannot_be_told_is_never_the_best(recipe, tmp_path, monkeypatch):
    """At first no time may be read at all, and then there is no deviation."""
    marks = iter([{}, {"time_deviation": 60.0}, {}])
    monkeypatch.setattr(Validation, "__call__", lambda self, model: next(marks))
    run = run_of(changed(recipe, metric="time_deviation"), tmp_path)
    assert_same(weights_of(run / "adapter"), weights_of(run / "checkpoints" / "checkpoint-4"))


@pytest.mark.slow
def test_patience_ends_a_training(recipe, tmp_path, graded):
    graded(0.5, 0.4, 0.3)
    run = run_of(changed(recipe, max_steps=20, patience=2), tmp_path)
    assert list(evaluations(run)) == [2, 4, 6]
    assert_same(weights_of(run / "adapter"), weights_of(run / "checkpoints" / "checkpoint-2"))


def killed_after(step, whole, run):
    """The run as a kill leaves it after that checkpoint."""
    shutil.copytree(whole / "checkpoints", run / "checkpoints")
    for checkpoint in (run / "checkpoints").glob("checkpoint-*"):
        if int(checkpoint.name.rpartition("-")[2]) > step:
            shutil.rmtree(checkpoint)
    shutil.copy(whole / LOG, run / LOG)
    return run


@pytest.mark.slow
def test_patience_goes_on_where_a_run_was_killed(recipe, tmp_path, graded):
    """Killed after its first evaluation without a better one: one more is the last."""
    patient = changed(recipe, max_steps=20, patience=2, sft={"save_total_limit": None})
    graded(0.5, 0.4, 0.3)
    whole = run_of(patient, tmp_path / "whole")
    run = killed_after(4, whole, tmp_path / "killed")
    graded(0.3, 0.9)
    run_of(patient, run)
    assert list(evaluations(run)) == [2, 4, 6]
    assert_same(weights_of(run / "adapter"), weights_of(whole / "adapter"))


@pytest.mark.parametrize("settings", [{}, {"max_steps": 20, "patience": 2}, {"eval_steps": None}],
                         ids=["steps", "patience", "unwatched"])  # fmt: skip
@pytest.mark.slow
def test_a_run_killed_before_it_saved_its_weights_only_saves_them(
    recipe, tmp_path, graded, settings
):
    """Resumed at its end, transformers would take one more step."""
    graded(0.5, 0.4, 0.3)
    given = changed(recipe, **settings)
    whole = run_of(given, tmp_path / "whole")
    run = killed_after(6, whole, tmp_path / "killed")
    assert last_checkpoint(run / "checkpoints", adapter=True).name == "checkpoint-6"
    run_of(given, run)
    assert_same(weights_of(run / "adapter"), weights_of(whole / "adapter"))


@pytest.mark.slow
def test_a_model_that_trains_whole_ends_with_its_best(recipe, checkpoint, tmp_path, graded):
    graded(0.1, 0.9, 0.2)
    full = changed(
        replace(recipe, model=Model(name=str(checkpoint), load_in_4bit=False, dtype="float32")),
        language="full", projector="full", vision="full",
    )  # fmt: skip
    run = run_of(full, tmp_path)
    best, last = (
        load_file(run / "checkpoints" / f"checkpoint-{step}" / "model.safetensors")
        for step in (4, 6)
    )
    assert_same(load_file(run / "model" / "model.safetensors"), best)
    assert not all(torch.equal(last[name], best[name]) for name in best)


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("train.metric=time_exakt", "no metric 'time_exakt'.*did you mean time_exact"),
        ("train.patience=2", "patience=2 counts evaluations: give eval_steps, too"),
        ("train.eval_samples=0", "eval_samples: 0: input should be greater"),
        ("train.report_to=[mlflow]", "train.report_to.0: 'mlflow'"),
    ],
)
def test_wrong_settings_are_refused_before_anything_is_spent(override, message):
    watched = [] if "patience" in override else ["train.eval_steps=5"]
    with pytest.raises(RecipeError, match=message):
        _ = resolve("demo", [*watched, override]).recipe


def test_a_metric_of_no_sample_is_refused(recipe, tmp_path):
    boxes = changed(recipe, metric="box_iou")
    with pytest.raises(ValueError, match=r"'box_iou' measures answers of type box, .*number, time"):
        make_trainer(boxes, load(boxes.model), samples_of(boxes), tmp_path)


def test_a_directory_without_that_many_samples_is_refused(recipe, tmp_path):
    store.write(store.mixture(SOURCES[1:], split="val", seed=0), tmp_path / "d", n=5, split="val",
                workers=1)  # fmt: skip
    store.write(store.mixture(SOURCES[1:], split="train", seed=0), tmp_path / "d", n=12,
                split="train", workers=1)  # fmt: skip
    of_disk = replace(
        recipe, data=(Source(path=str(tmp_path / "d")),), eval=Eval(data=SOURCES, samples=5)
    )
    with pytest.raises(RecipeError, match=r"train.eval_samples: 6: the val split has only 5"):
        _ = resolve_values(plain_values(of_disk)).recipe


def test_a_log_service_that_is_not_here_is_refused_with_the_way_out(recipe, tmp_path, monkeypatch):
    from gnomon.pipeline.training import settings

    told = changed(recipe, report_to=("trackio",))
    monkeypatch.setattr(settings, "find_spec", lambda name: None)
    with pytest.raises(
        ValueError, match=r"train.report_to: trackio is not installed: pip install trackio"
    ):
        settings.sft_config(told, tmp_path)
    monkeypatch.setattr(settings, "find_spec", lambda name: name)
    assert settings.sft_config(told, tmp_path).report_to == ["trackio"]
