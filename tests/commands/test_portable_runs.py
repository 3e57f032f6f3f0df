"""Runs that were moved without their tables, and recipes that lie beside theirs."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from command_toys import gnomon

from gnomon import store
from gnomon.generators import create
from gnomon.recipe import RecipeError
from gnomon.runs import calibrating
from gnomon.runs.claim import claim
from gnomon.runs.exam import note_unasked
from gnomon.runs.model_arguments import recipe_and_exam, resolve_model
from gnomon.runs.reader import Reader
from gnomon.runs.resolve import resolve
from gnomon.runs.trained_rows import read_rows

RECIPE = """
data:
  - path: dials.csv
    columns: {image: file, ask: "What time is it?", answer: time, kind: time, split: split}
train: {per_device_train_batch_size: 4, max_steps: 1, logging_steps: 1}
eval: {batch_size: 4, max_new_tokens: 8}
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A working directory with a recipe and its table and pictures in a folder `photos`."""
    (folder := tmp_path / "project" / "photos").mkdir(parents=True)
    lines = ["file,time,split"]
    clocks = create("clock", size=84, seed=3)
    for index in range(8):
        clocks[index].image.save(folder / f"{index}.png")
        time = clocks[index].target.display()
        lines.append(f"{index}.png,{time},{'test' if index % 2 else 'train'}")
    (folder / "dials.csv").write_text("\n".join(lines) + "\n")
    (folder / "own.yaml").write_text(RECIPE)
    monkeypatch.chdir(folder.parent)
    return folder.parent


def texts(file):
    return [json.loads(line)["text"] for line in file.read_text().splitlines()]


@pytest.mark.slow
@pytest.mark.parametrize("verb", ["run", "train"])
def test_a_moved_run_needs_nothing_outside_itself(project, tmp_path, monkeypatch, verb):
    assert gnomon(verb, "photos/own.yaml", "--out", "runs/dials") == 0
    assert len(read_rows(Path("runs/dials")).train) == 4
    (tmp_path / "elsewhere").mkdir()
    moved = shutil.move("runs/dials", tmp_path / "elsewhere" / "dials")
    table = shutil.move("photos", tmp_path / "table") / "dials.csv"
    (third := tmp_path / "third").mkdir()
    monkeypatch.chdir(third)
    run = "../elsewhere/dials"
    # The table that was trained on is known where it lies now: its training rows are not asked.
    words = ["columns.image=file", "columns.answer=time", "columns.kind=time", "columns.ask=When?"]
    resolved = resolve_model(run, str(table), [])
    reader = Reader(resolved.parsed, Path(run))
    assert recipe_and_exam(resolved, str(table), [], reader)[1].split == "test"
    table.write_text(table.read_text() + "7.png,10:10,test\n")  # another table
    assert recipe_and_exam(resolved, str(table), words, reader)[1].split == "test"
    words.append("columns.split=null")
    assert recipe_and_exam(resolved, str(table), words, reader)[1].split == "all"
    shutil.rmtree(table.parent)
    assert gnomon("predict", run) == 0
    assert gnomon("predict", run, "--out", "again.jsonl") == 0
    assert gnomon("predict", run, "--belief", "eval.samples=2") == 0
    assert gnomon("score", run) == 0
    assert gnomon("score", "again.jsonl") == 0
    assert gnomon("compare", run, "again.jsonl", "--out", "both.html") == 0
    assert gnomon("merge", run, "whole", "--samples", 2) == 0
    assert texts(third / "again.jsonl") == texts(moved / "predictions" / "after.jsonl")
    assert "base64" in (moved / "report.html").read_text()  # the pictures themselves
    # The table that is gone is named where it is needed, with the places that were searched.
    with pytest.raises(RecipeError, match=r"photos/dials.csv' is not a file or folder in .*third"):
        _ = resolve(moved / "recipe.yaml", ["eval.split=val"], stored=True).exam


def test_a_moved_run_is_calibrated_on_pictures_that_are_named(
    project, tmp_path, monkeypatch, capsys
):
    """It holds its training and test rows, not those for validation."""
    resolved = resolve("photos/own.yaml")
    run = project / "runs" / "dials"
    claim(run, resolved.recipe, sources=())
    store.write(resolved.exam.pool, run / "data", n=4, split="test", workers=1)
    monkeypatch.chdir(tmp_path)
    assert gnomon("calibrate", run) == 2
    message = capsys.readouterr().err
    assert f"photos/dials.csv' is not a file or folder in {run} or {tmp_path}" in message
    assert "The run or its data was moved: name labelled pictures as DATA" in message


def test_a_table_is_looked_for_beside_the_recipe_and_then_here(project):
    beside = resolve("photos/own.yaml")
    assert beside.recipe.data[0].path == "photos/dials.csv"
    shutil.copytree("photos", "here")
    (project / "here" / "dials.csv").unlink()
    with pytest.raises(RecipeError) as error:
        _ = resolve("here/own.yaml").recipe
    message = "path: 'dials.csv' is not a file or folder in {} or {}"
    assert str(error.value) == message.format(project / "here", project)
    for file in (project / "photos").iterdir():
        shutil.copy(file, project)
    assert resolve("here/own.yaml").recipe.data[0].path == "dials.csv"
    # A path of the command line is one of the working directory.
    (project / "photos" / "mine.csv").touch()
    with pytest.raises(RecipeError, match=r"mine.csv' is not a file"):
        _ = resolve("photos/own.yaml", ["data.0.path=mine.csv"]).recipe


def test_files_to_draw_with_lie_beside_the_recipe_too(project):
    create("clock", size=84)[0].image.save(project / "photos" / "wood.png")
    recipe = project / "photos" / "clocks.yaml"
    recipe.write_text("data: [{kind: clock, options: {backgrounds: [plain, ./wood.png]}}]")
    (project / "photos" / "plain").mkdir()
    options = resolve("photos/clocks.yaml").recipe.data[0].options
    assert options == {"backgrounds": ["plain", "photos/wood.png"]}


def test_a_table_may_move_while_the_run_holds_its_rows(project, monkeypatch):
    run = project / "runs" / "dials"
    resolved = resolve("photos/own.yaml")
    store.write(resolved.samples("train"), project / "data", n=4, split="train", workers=1)
    claim(run, resolved.recipe, sources=())
    (run / "checkpoints" / "checkpoint-2").mkdir(parents=True)
    absolute = resolve("photos/own.yaml", [f"data.0.path={project}/photos/dials.csv"])
    claim(run, absolute.recipe, sources=())  # the same file
    monkeypatch.chdir(project / "photos")
    shutil.copytree(project / "photos", project / "other")
    moved = resolve("own.yaml", ["data.0.path=../other/dials.csv"]).recipe
    with pytest.raises(RecipeError, match=r"data.0.path: '.*' there, '../other/dials.csv' here"):
        claim(run, moved, sources=())
    (project / "data").rename(run / "data")
    claim(run, moved, sources=())
    shutil.copy("dials.csv", "renamed.csv")
    with pytest.raises(RecipeError, match=r"renamed.csv' here"):
        claim(run, resolve("own.yaml", ["data.0.path=renamed.csv"]).recipe, sources=())


def stop_after_first_step(run):
    """Leave of a training of two steps what a kill between them would leave."""
    for name in ("adapter", "checkpoints/checkpoint-2"):
        shutil.rmtree(run / name)
    log = run / "log.jsonl"
    log.write_text("".join(log.read_text().splitlines(keepends=True)[:1]))


@pytest.mark.slow
@pytest.mark.parametrize("verb", ["train", "run"])
def test_a_moved_training_resumes_and_is_extended(project, tmp_path, monkeypatch, verb, capsys):
    """Its table and pictures are gone, and it measures itself on rows for validation."""
    table = project / "photos" / "dials.csv"
    table.write_text(table.read_text().replace(",test\n", ",val\n", 2))
    steps = ("train.max_steps=2", "train.save_steps=1", "train.eval_steps=1")
    words = (*steps, "train.eval_samples=2", "data.0.augment=heavy", "train.sft.save_total_limit=2")
    assert gnomon(verb, "photos/own.yaml", *words, "--out", "runs/dials") == 0
    whole = (project / "runs/dials/adapter/adapter_model.safetensors").read_bytes()
    stop_after_first_step(project / "runs" / "dials")
    moved = shutil.move("runs/dials", tmp_path / "dials")
    shutil.rmtree(project / "photos")
    (third := tmp_path / "third").mkdir()
    monkeypatch.chdir(third)
    again = (verb, f"{moved}/recipe.yaml", "--out", moved)
    assert gnomon(*again) == 0
    assert (moved / "adapter" / "adapter_model.safetensors").read_bytes() == whole
    assert gnomon(*again, "train.max_steps=3") == 0
    assert (moved / "adapter-2").is_dir()
    # It has no more questions than it wrote down.
    assert gnomon(*again, "train.max_steps=3", "eval.samples=4") == 2
    assert "photos/dials.csv' is not a file or folder in" in capsys.readouterr().err


def test_a_model_is_looked_for_beside_the_recipe_and_then_here(project, tmp_path, monkeypatch):
    recipe = project / "photos" / "clocks.yaml"
    recipe.write_text("data: [{kind: clock}]\nmodel: {name: ./reader}\n")
    with pytest.raises(RecipeError) as error:
        _ = resolve("photos/clocks.yaml").recipe
    places = f"{project / 'photos'} or {project}"
    assert f"model.name: './reader' is not a directory in {places}, a hub id" in str(error.value)
    (project / "reader").mkdir()
    assert resolve("photos/clocks.yaml").recipe.model.name == "./reader"
    (project / "photos" / "reader").mkdir()
    checked = resolve("photos/clocks.yaml").recipe
    assert checked.model.name == "photos/reader"
    assert resolve(project / "photos" / "clocks.yaml").recipe.model.name == "photos/reader"
    # The model that comes with gnomon is none of the user's folders.
    (project / "photos" / "gnomon-tiny").mkdir()
    recipe.write_text("data: [{kind: clock}]\nmodel: {name: gnomon-tiny}\n")
    assert resolve("photos/clocks.yaml").recipe.model.name == "gnomon-tiny"
    # The run names it as seen from itself, and goes on from another directory.
    run = project / "runs" / "clocks"
    claim(run, checked, sources=())
    (run / "checkpoints" / "checkpoint-2").mkdir(parents=True)
    assert "name: ../../photos/reader" in (run / "recipe.yaml").read_text()
    monkeypatch.chdir(tmp_path)
    again = resolve(run / "recipe.yaml", stored=True).recipe
    assert again.model.name == "project/photos/reader"
    claim(run, again, sources=())
    (project / "other").mkdir()
    other = resolve(run / "recipe.yaml", ["model.name=project/other"], stored=True).recipe
    with pytest.raises(
        RecipeError, match=r"model.name: '../../photos/reader' there, '../../other'"
    ):
        claim(run, other, sources=())
    # Moved without its model, it takes one of the same name.
    shutil.move(project / "photos" / "reader", tmp_path / "elsewhere" / "reader")
    moved = resolve(run / "recipe.yaml", ["model.name=elsewhere/reader"], stored=True).recipe
    claim(run, moved, sources=())


def test_a_moved_run_is_calibrated_on_the_rows_that_it_wrote_down(project, tmp_path, monkeypatch):
    table = project / "photos" / "dials.csv"
    table.write_text(table.read_text().replace(",test", ",val"))
    run = project / "runs" / "dials"
    resolved = resolve("photos/own.yaml", ["eval.split=val", "train.eval_samples=2"])
    claim(run, resolved.recipe, sources=())
    store.write(resolved.exam.pool, run / "data", n=4, split="val", workers=1)
    shutil.rmtree(project / "photos")
    monkeypatch.chdir(tmp_path)
    words = ["eval.split=test"]
    moved = resolve_model(str(run), None, words)
    exam = calibrating._validation_exam(moved, run, None)
    assert (exam.split, exam.samples) == ("val", 4)
    assert [sample.id for sample in exam] == [
        sample.id for sample in store.open(run / "data", "val")
    ]
    with pytest.raises(RecipeError, match="the val split has only 4"):
        calibrating._validation_exam(moved, run, 5)


def test_all_rows_of_the_validation_are_calibrated_on_and_no_drawing(project, capsys):
    table = project / "photos" / "dials.csv"
    text = table.read_text().replace(",test", ",val").replace(",train", ",test", 1)
    table.write_text(text)
    recipe = project / "photos" / "own.yaml"
    recipe.write_text(RECIPE.replace("train:", "  - {kind: clock}\ntrain:"))
    resolved = resolve("photos/own.yaml")
    exam = calibrating._validation_exam(resolved, project, None)
    assert (exam.samples, [sample.facts["file"] for sample in exam]) == (4, ["dials.csv"] * 4)
    assert calibrating._validation_exam(resolved, project, 3).samples == 3
    note_unasked(replace(exam, samples=3))
    assert (
        "the first 3 of 4 val rows are asked; eval.samples=all asks all" in capsys.readouterr().err
    )
    with pytest.raises(RecipeError, match="9: the val split has only 4"):
        calibrating._validation_exam(resolved, project, 9)
