"""Who may write into a run's directory: the recipe and the versions of the kinds it began with."""

import json
import os
import shutil
import sys
from pathlib import Path

import pytest
from bad_inputs import sound_answers
from command_toys import gnomon, small

from gnomon.generators.arithmetic import Arithmetic
from gnomon.generators.clock import Clock

RECIPE = """
data:
  - kind: clock
    options: {size: 84}
  - kind: mixture
    options: {parts: [{kind: arithmetic}]}
train: {samples: 10}
eval: {samples: 10}
"""


@pytest.fixture
def recipe(tmp_path):
    file = tmp_path / "small.yaml"
    file.write_text(RECIPE)
    return file


@pytest.fixture
def run(tmp_path):
    return tmp_path / "run"


@pytest.fixture
def train(cli, recipe, run):
    """What `train` says of the recipe with these overrides, and how it has to end."""
    return lambda *words, code=0: cli("train", recipe, *words, "--out", run, code=code).err


@pytest.fixture
def trained(monkeypatch):
    """What would have been trained, as (recipe, the pictures' source): nothing heavy is done."""
    found = []
    monkeypatch.setattr(
        "gnomon.pipeline.training.train.fine_tune",
        lambda opened, samples, run, **_: (
            found.append((opened, samples.describe()["source"])) or run
        ),
    )
    for module in ("run_steps", "locked_run"):
        monkeypatch.setattr(f"gnomon.runs.{module}.write_card", lambda *_: None)
    return found


@pytest.fixture
def failing(monkeypatch):
    """A training that fails before its first step, and leaves what transformers leaves by then."""

    def fail(opened, samples, run, **_):
        (run / "checkpoints").mkdir(exist_ok=True)
        (run / "log.jsonl").write_text("")
        raise ValueError("CUDA out of memory")

    monkeypatch.setattr("gnomon.pipeline.training.train.fine_tune", fail)


def files(folder):
    return {file: file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


@pytest.fixture
def begun(trained, train, run):
    """A run that was killed after its first checkpoint; its files."""
    train()
    (run / "checkpoints" / "checkpoint-2").mkdir(parents=True)
    versions = json.loads((run / "versions.json").read_text())
    kinds = {"arithmetic": Arithmetic.version, "clock": Clock.version, "mixture": 1}
    assert versions["kinds"] == kinds
    return files(run)


@pytest.mark.parametrize(("kind", "cls"), [("clock", Clock), ("arithmetic", Arithmetic)])
def test_a_run_goes_on_with_the_versions_of_its_kinds_alone(
    recipe, run, trained, begun, train, cli, monkeypatch, kind, cls
):
    """Those of a mixture's parts, too."""
    version = cls.version
    train()
    monkeypatch.setattr(cls, "version", 99)
    message = f"(version of {kind}: {version} there, 99 here): give another --out"
    assert message in train(code=2)
    assert message in cli("run", recipe, "--out", run, code=2).err
    assert len(trained) == 2
    assert files(run) == begun


@pytest.mark.parametrize("kept", [(), ("gnomon", "python")])
def test_a_run_without_a_record_of_its_kinds_is_not_gone_on_with(run, begun, train, kept):
    versions = json.loads((run / "versions.json").read_text())
    (run / "versions.json").write_text(json.dumps({name: versions[name] for name in kept}))
    before = files(run)
    assert "versions.json: kinds" in train(code=2)
    assert files(run) == before
    (run / "adapter").mkdir()  # finished: nothing is drawn
    train()


def test_a_run_whose_checkpoints_were_deleted_is_whole_and_goes_no_further(run, begun, train):
    """It would begin again, and call its result that of more steps."""
    (run / "adapter").mkdir()
    shutil.rmtree(run / "checkpoints")
    before = files(run)
    assert "has no checkpoint to resume from" in train("train.max_steps=3", code=2)
    train()
    assert files(run) == before


def test_steps_beyond_those_of_the_epochs_extend_a_run(run, trained, begun, train, monkeypatch):
    """Two were taken; the weights and answers that they gave keep that number."""
    (run / "adapter").mkdir()
    (run / "predictions").mkdir()
    answers = ("after.jsonl", "after-belief.about.json", "after-1.jsonl", "before.jsonl", "d.jsonl")
    for name in answers:
        (run / "predictions" / name).touch()
    before = files(run)
    train("train.max_steps=2", code=2)
    monkeypatch.setenv("WORLD_SIZE", "2")
    train("train.max_steps=3", code=2)
    monkeypatch.delenv("WORLD_SIZE")
    with monkeypatch.context() as patch:
        patch.setattr(Clock, "version", 99)  # what is drawn from now on would be other samples
        assert "version of clock" in train("train.max_steps=3", code=2)
    assert files(run) == before
    train("train.max_steps=3")
    assert trained[-1][0].train.max_steps == 3
    names = {place.name for place in (*run.iterdir(), *(run / "predictions").iterdir())}
    assert names >= {"adapter-2", "after-2.jsonl", "after-belief-2.about.json", "d-2.jsonl"}
    assert names >= {"after-1.jsonl", "before.jsonl"}
    assert not names & {"adapter", "after.jsonl", "after-1-2.jsonl"}


@pytest.mark.parametrize(("more", "code"), [((), 0), (("train.eval_steps=2",), 2)])
def test_pictures_on_disk_train_on_whatever_is_drawn_now(
    recipe, run, failing, monkeypatch, request, more, code
):
    """But what a training is measured on as it goes is drawn."""
    words = ["train", recipe, *more, "--out", run]
    monkeypatch.setattr("gnomon.runs.run_steps.AnswerFile.ask", lambda *_: None)
    assert gnomon("run", *words[1:], "--workers", 1) == 1
    (run / "checkpoints" / "checkpoint-2").mkdir()
    monkeypatch.setattr(Clock, "version", 99)
    found = request.getfixturevalue("trained")
    assert gnomon(*words) == code
    assert [source for _, source in found] == ["directory"] * (code == 0)


def test_a_start_that_failed_gives_way_to_the_mended_recipe(run, trained, train):
    train("loss.weight=0.5")  # and it trains nothing
    assert (
        "nothing was trained there yet, so its recipe changes (loss.weight: 0.5 there, 0.25 here)"
    ) in train("loss.weight=0.25")
    assert trained[-1][0].loss.weight == 0.25
    assert "weight: 0.25" in (run / "recipe.yaml").read_text()
    (run / "log.jsonl").write_text('{"step": 1}\n')
    before = files(run)
    message = train("loss.weight=0.5", code=2)
    assert "another gnomon (loss.weight: 0.25 there, 0.5 here)" in message
    assert files(run) == before


@pytest.mark.slow
def test_a_failed_start_keeps_what_it_drew_and_what_was_answered(
    recipe, run, failing, request, monkeypatch, cli
):
    """Out of memory at the first step: with a smaller batch nothing is drawn or asked again."""

    def ask(file, reader, exam):
        file.path.parent.mkdir(exist_ok=True)
        file.path.touch()

    monkeypatch.setattr("gnomon.runs.run_steps.AnswerFile.ask", ask)
    monkeypatch.setattr("gnomon.runs.run_steps.score_run", lambda *_, **__: [])
    monkeypatch.setattr("gnomon.runs.run_steps.report", lambda *_: None)
    monkeypatch.setattr("gnomon.runs.run_steps.pictures_of", lambda _: ({}, ""))
    words = ["run", recipe, "--out", run, "--workers", 1]
    cli(*words, code=1)
    before = files(run)
    for override, part, difference in (
        ("data.0.options.size=112", "data", "data.0.options.size: 84 there, 112 here"),
        ("train.samples=12", "data", "train.samples: 10 there, 12 here"),
        ("eval.max_new_tokens=8", "predictions", "eval.max_new_tokens: None there, 8 here"),
    ):
        message = f"{run / part} was made by another recipe, or another gnomon ({difference})"
        for verb in ("run", "train"):
            assert message in cli(verb, recipe, override, "--out", run, code=2).err
        assert files(run) == before
    trained = request.getfixturevalue("trained")
    message = cli(*words, "train.per_device_train_batch_size=2").err
    assert "train.per_device_train_batch_size: 8 there, 2 here" in message
    assert [source for _, source in trained] == ["directory"]
    after = files(run)
    assert {f for f in before if after[f] != before[f]} <= {run / "recipe.yaml"}


@pytest.mark.parametrize("verb", ["train", "run"])
def test_nothing_is_written_among_other_files(recipe, run, trained, cli, verb):
    run.mkdir()
    for index in range(5):
        (run / f"IMG_{index}.jpg").write_text("mine")
    before = files(run)
    message = cli(verb, recipe, "--out", run, code=2).err
    assert "holds other files (IMG_0.jpg, IMG_1.jpg, IMG_2.jpg and 2 more)" in message
    assert files(run) == before
    assert not trained


def test_a_users_own_recipe_is_no_run(recipe, run, trained, cli):
    run.mkdir()
    own = run / "recipe.yaml"
    own.write_text("# mine\n" + recipe.read_text())
    cli("train", own, "loss.weight=0.5", "--out", run, code=2)
    (run / "IMG_0.jpg").touch()
    assert "holds other files (IMG_0.jpg)" in cli("train", own, "--out", run, code=2).err
    assert own.read_text().startswith("# mine")
    assert not trained


def test_leftovers_and_hidden_files_are_in_nobodys_way(run, trained, train):
    run.mkdir()
    for name in (".DS_Store", ".recipe.yaml.17.tmp", "versions.json"):
        (run / name).write_text("{}")
    train()
    (run / "notes.txt").touch()
    train()
    assert len(trained) == 2


def test_a_card_that_a_kill_left_unwritten_is_written_by_a_restart(
    run, trained, train, monkeypatch
):
    cards = []
    monkeypatch.setattr("gnomon.runs.locked_run.write_card", lambda *given: cards.append(given))
    for held, n in ((None, 1), ("# Model Card\n[More Information Needed]\n", 2), ("# Mine\n", 2)):
        if held is not None:
            (run / "README.md").write_text(held)  # in the place of the weights
        train()
        assert len(cards) == n


def test_another_launch_changes_nothing_of_a_run_that_begins(
    recipe, run, trained, train, monkeypatch
):
    """Of processes launched together only the first holds the lock, so the others write nothing."""
    train()
    before = files(run)
    monkeypatch.setenv("RANK", "1")
    gnomon("train", recipe, "train.learning_rate=0.5", "--out", run)
    assert files(run) == before


@pytest.mark.parametrize("text", ["[1]", '{"kinds": null}', "{", "[" * 100_000])
def test_a_damaged_record_of_versions_is_told_by_its_file(recipe, run, begun, capsys, text):
    (run / "versions.json").write_text(text)
    assert gnomon("train", recipe, "--out", run) in (1, 2)
    assert "versions.json" in capsys.readouterr().err


elsewhere = pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")


@elsewhere
@pytest.mark.parametrize("verb", ["run", "train", "merge"])
def test_a_name_that_is_no_utf_8_is_refused_before_anything_is_made(tmp_path, cli, verb):
    """The tokenizer could not be saved, when training began or the adapter was merged."""
    out = tmp_path / os.fsdecode(b"x\xff")
    words = [out] if verb == "merge" else ["--out", out]
    message = cli(verb, small(tmp_path), *words, code=2).err
    assert "x\\xff: this name is not valid UTF-8: give another" in message
    assert not out.exists()


@elsewhere
def test_a_dataset_and_a_report_may_have_any_name(here, cli):
    """They could not be written when the pictures were drawn, or the answers scored."""
    folder, answers = os.fsdecode(b"\xff-sums"), os.fsdecode(b"\xff\x1b[31m.jsonl")
    cli("generate", "arithmetic", "--n", 2, "--out", folder, "--workers", 1)
    cli("verify", folder)
    message = cli("stats", folder, code=2).err  # a recipe cannot name it
    assert "\\xff… is not UTF-8: if it is a file or a folder, rename it" in message
    for name, data in sound_answers().items():
        Path(name.replace("a", answers.removesuffix(".jsonl"), 1)).write_bytes(data)
    assert Path(json.loads(cli("score", answers, "--json").out)["report"]).is_file()
