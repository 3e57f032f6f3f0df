"""A training that is measured as it goes: by its own answers, without being changed by it."""

from dataclasses import replace

import pytest
import torch
from pipeline_toys import Gradients
from toy_runs import (
    SOURCES,
    are_same,
    changed,
    killed_after,
    log_of,
    recipe_of,
    run_of,
    trainer_of,
    weights_of,
)

from gnomon import store
from gnomon.pipeline.training import settings
from gnomon.pipeline.training.train import last_checkpoint
from gnomon.pipeline.training.validation import Validation
from gnomon.recipe import Eval, RecipeError, Source, plain_values
from gnomon.runs.resolve import resolve, resolve_values


@pytest.fixture(scope="module")
def recipe(checkpoint):
    recipe = recipe_of(
        checkpoint,
        samples=12,
        max_steps=6,
        lr_scheduler_type="constant",
        gradient_accumulation_steps=1,
        save_steps=100,
        eval_steps=2,
        eval_samples=6,
    )
    return replace(recipe, eval=Eval(batch_size=4, max_new_tokens=3))


@pytest.fixture
def graded(monkeypatch):
    """Evaluations that come out as the test needs them, in place of generation."""

    def grade(*marks, figure="correct"):
        rest = iter([{} if mark is None else {figure: mark} for mark in marks])
        monkeypatch.setattr(Validation, "__call__", lambda self, model: next(rest))

    return grade


def evaluations(run):
    return {line["step"]: line for line in log_of(run) if "eval_loss" in line}


def checkpoint_weights(run, step):
    return weights_of(run / "checkpoints" / f"checkpoint-{step}")


@pytest.mark.slow
def test_held_out_samples_are_answered_and_scored(recipe, tmp_path):
    lines = evaluations(run_of(recipe, tmp_path))
    assert list(lines) == [2, 4, 6]
    for line in lines.values():
        assert 0 <= line["eval_correct"] <= 1
        assert line.keys() > {"eval_ce", "eval_emd", "eval_digit_accuracy", "eval_time_exact"}
        assert line.keys() > {"eval_time_charged", "eval_number_exact", "eval_number_unread"}
    assert len({line["eval_ce"] for line in lines.values()}) == 3


@pytest.mark.slow
def test_a_training_is_watched_by_the_answers_that_its_run_will_give(recipe, tmp_path, monkeypatch):
    """With greedy decoding an untrained model writes no time; the median always is one."""
    median = replace(recipe, eval=replace(recipe.eval, answer="median"))
    median = changed(median, max_steps=2, eval_samples=4)
    (line,) = evaluations(run_of(median, tmp_path)).values()
    assert line["eval_time_deviation"] >= 0
    assert line["eval_time_unread"] == 0


def test_they_are_of_neither_the_training_nor_the_exam(recipe):
    assert recipe.validation_split == "val"
    assert replace(recipe, eval=Eval(split="val")).validation_split == "test"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("dtype", "answer"), [("bfloat16", "greedy"), ("float32", "greedy"), ("bfloat16", "median")]
)
def test_an_evaluation_changes_no_gradient(recipe, tmp_path, dtype, answer):
    """On CPUs with AVX512-BF16 the first one repacks 4-bit layers, and gradients are lost."""
    recipe, steps = replace(recipe, eval=replace(recipe.eval, answer=answer)), []
    for often in (2, None):
        trainer = trainer_of(
            changed(recipe, model={"dtype": dtype}, eval_steps=often), tmp_path / str(often)
        )
        gradients = Gradients()
        trainer.add_callback(gradients)
        trainer.train()
        assert len(gradients.found) == 6
        steps.append(gradients.found)
    for watched, unwatched in zip(*steps, strict=True):
        assert are_same(watched, unwatched)
        assert all("lora_" in name for name in watched)
    assert all(gradient.abs().sum() > 0 for gradient in steps[0][2].values())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("metric", "marks"),
    [
        ("correct", (0.2, 0.7, 0.7)),
        ("time_deviation", (90.0, 30.0, 60.0)),
        # At first no time may be read at all, and then there is no deviation.
        ("time_deviation", (None, 60.0, None)),
    ],
)
def test_the_best_checkpoint_is_what_a_run_ends_with(recipe, tmp_path, graded, metric, marks):
    graded(*marks, figure=metric)
    run = run_of(changed(recipe, metric=metric), tmp_path)
    best = checkpoint_weights(run, 4)
    assert are_same(weights_of(run), best)
    assert not are_same(checkpoint_weights(run, 6), best)
    assert {weight.dtype for weight in best.values()} == {torch.bfloat16}


@pytest.mark.slow
def test_a_model_that_trains_whole_ends_with_its_best(recipe, tmp_path, graded):
    graded(0.1, 0.9, 0.2)
    parts = dict.fromkeys(("language", "vision", "projector"), "full")
    model = {"load_in_4bit": False, "dtype": "float32"}
    run = run_of(changed(recipe, model=model, **parts), tmp_path)
    assert are_same(weights_of(run), checkpoint_weights(run, 4))
    assert not are_same(weights_of(run), checkpoint_weights(run, 6))


@pytest.mark.slow
def test_patience_ends_a_training_and_goes_on_where_a_run_was_killed(recipe, tmp_path, graded):
    """Killed after its first evaluation without a better one: one more is the last."""
    patient = changed(recipe, max_steps=20, patience=2, sft={"save_total_limit": None})
    graded(0.5, 0.4, 0.3)
    whole = run_of(patient, tmp_path / "whole")
    run = killed_after(4, whole, tmp_path / "killed")
    graded(0.3, 0.9)
    run_of(patient, run)
    for each in (whole, run):
        assert list(evaluations(each)) == [2, 4, 6]
        assert are_same(weights_of(each), checkpoint_weights(whole, 2))


@pytest.mark.slow
@pytest.mark.parametrize("changes", [{}, {"max_steps": 20, "patience": 2}, {"eval_steps": None}],
                         ids=["steps", "patience", "unwatched"])  # fmt: skip
def test_a_run_killed_before_it_saved_its_weights_only_saves_them(
    recipe, tmp_path, graded, changes
):
    """Resumed at its end, transformers would take one more step."""
    graded(0.5, 0.4, 0.3)
    watched = changed(recipe, **changes)
    whole = run_of(watched, tmp_path / "whole")
    run = killed_after(6, whole, tmp_path / "killed")
    assert last_checkpoint(run / "checkpoints", adapter=True).name == "checkpoint-6"
    run_of(watched, run)
    assert are_same(weights_of(run), weights_of(whole))


def test_an_unknown_metric_is_refused_before_anything_is_spent():
    with pytest.raises(RecipeError, match=r"no metric 'time_exakt'.*did you mean time_exact"):
        _ = resolve("demo", ["train.eval_steps=5", "train.metric=time_exakt"]).recipe


def test_a_metric_of_no_sample_is_refused(recipe, tmp_path):
    with pytest.raises(ValueError, match=r"'box_iou' measures answers of type box, .*number, time"):
        trainer_of(changed(recipe, metric="box_iou"), tmp_path)


def test_a_directory_without_that_many_samples_is_refused(recipe, tmp_path):
    for split, n in (("val", 5), ("train", 12)):
        samples = store.mixture(SOURCES[1:], split=split, seed=0)
        store.write(samples, tmp_path / "d", n=n, split=split, workers=1)
    stored = (Source(path=str(tmp_path / "d")),)
    of_disk = replace(recipe, data=stored, eval=Eval(data=SOURCES, samples=5))
    with pytest.raises(RecipeError, match=r"train.eval_samples: 6: the val split has only 5"):
        _ = resolve_values(plain_values(of_disk)).recipe


def test_a_log_service_that_is_not_here_is_refused_with_the_way_out(recipe, tmp_path, monkeypatch):
    tracked = changed(recipe, report_to=("trackio",))
    monkeypatch.setattr(settings, "find_spec", lambda name: None)
    with pytest.raises(
        ValueError, match="report_to: trackio is not installed: pip install trackio"
    ):
        settings.sft_config(tracked, tmp_path)
    monkeypatch.setattr(settings, "find_spec", lambda name: name)
    assert settings.sft_config(tracked, tmp_path).report_to == ["trackio"]
