"""The guard of a recipe: questions and texts that tell what a training made the model forget."""

import json
import shutil
from pathlib import Path

import pytest
from command_toys import gnomon as command
from PIL import Image

import gnomon
from gnomon.eval.scoring import predictions
from gnomon.pipeline import text_likelihood
from gnomon.pipeline.answering import local
from gnomon.recipe import Eval, RecipeError, validate
from gnomon.runs.guard import Guard
from gnomon.runs.reader import Reader
from gnomon.store.reading.run_folder import RunFolder

SUMS = [(2, 3), (4, 4), (1, 8), (6, 1), (12, 7), (3, 9)]
PAGE = "A licence for programs. You may copy 12 of them, and then 30 more. "
RECIPE = {
    "data": [{"kind": "clock", "options": {"size": 84}}],
    "model": {"load_in_4bit": False, "dtype": "float32"},
    "train": {
        "samples": 4,
        "per_device_train_batch_size": 4,
        "learning_rate": 0.02,
        "max_steps": 2,
    },
    "eval": {"samples": 2, "batch_size": 4, "max_new_tokens": 6, "guard": ["sums.csv", "page.txt"]},
}
MODES = {
    "adapter": {"train.language": "lora"},
    "whole": {"train.language": "full"},
    # The head is tied to the embedding, which trains whole beside the adapters of the tower.
    "both": {"train.language": "full", "train.vision": "lora"},
}
NAMES = ("before.guard.sums.jsonl", "after.guard.sums.jsonl")


def write_files(folder):
    rows = [f"What is {a} + {b}?,{a + b}" for a, b in SUMS]
    (folder / "sums.csv").write_text("\n".join(["question,answer", *rows]))
    (folder / "page.txt").write_text(PAGE)


@pytest.fixture(
    scope="module", params=["adapter", "whole", pytest.param("both", marks=pytest.mark.slow)]
)
def trained(request, tmp_path_factory):
    """A folder with the files of a guard and a run that has answered them; nothing may change."""
    folder = tmp_path_factory.mktemp(request.param)
    write_files(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        run = gnomon.train(RECIPE, out="run", overrides=MODES[request.param])
        report = gnomon.evaluate(run)
        assert command("predict", "run") == 0  # it stores the exam's answers
    (folder / "report.txt").write_text(str(report))
    return folder


@pytest.fixture
def folder(trained, here):
    shutil.copytree(trained, here, dirs_exist_ok=True)
    return here / "run" / "predictions"


def texts(file):
    return {answer.sample_id: answer.text for answer in predictions.read(file)}


@pytest.fixture
def asked(monkeypatch):
    """The questions that a model is asked from now on."""
    questions = []
    ask = local.predict_batches

    def listen(loaded, samples, **options):
        samples = list(samples)
        questions.extend(sample.question for sample in samples)
        return ask(loaded, samples, **options)

    monkeypatch.setattr(local, "predict_batches", listen)
    return questions


def test_the_model_is_asked_as_it_came_and_as_it_was_trained(folder):
    reader = gnomon.load("run")
    exam = Guard.of(reader.recipe.eval).exams["sums"]
    for name, run in zip(NAMES, (None, Path("run")), strict=True):
        alone = Reader(reader.recipe, run)
        expected = {a.sample_id: a for batch in alone.predictions(exam) for a in batch}
        assert {a.sample_id: a for a in predictions.read(folder / name)} == expected
        record = json.loads((folder / name.replace("sums.jsonl", "page.text.json")).read_text())
        likelihood = text_likelihood(alone.model.model, alone.model.tokenizer, PAGE)
        assert record["nats"] == pytest.approx(-likelihood.mean, abs=1e-6)
        assert record["tokens"] == likelihood.n_tokens
    assert texts(folder / NAMES[0]) != texts(folder / NAMES[1])


def test_the_report_shows_what_was_forgotten(folder, cli):
    block = (folder.parents[1] / "report.txt").read_text().partition("Forgetting")[2]
    assert [line.split(",")[0] for line in block.splitlines()[1:3]] == ["sums", "page"]
    shown = cli("score", "run").out
    assert block.partition("\n\n")[0] in shown
    rows = json.loads(Path("run/report.json").read_text())["forgetting"]["after"]
    assert [row["name"] for row in rows] == ["sums", "page"]
    truths = {s.id: s.target.write() for s in guard_of("sums.csv").exams["sums"]}
    before, after = (
        sum(text == truths[i] for i, text in texts(folder / name).items()) / len(SUMS)
        for name in NAMES
    )
    assert (rows[0]["before"], rows[0]["after"]) == (before, after)
    estimate = rows[0]["difference"]
    assert estimate["value"] == pytest.approx(after - before)
    assert estimate["low"] < estimate["high"]
    page = Path("run/report.html").read_text()
    assert page.count("<h2>Forgetting</h2>") == 1
    assert "sums, exactly right" in page


def test_a_resumed_command_asks_only_what_is_missing(folder, asked, monkeypatch, cli):
    whole = {name: (folder / name).read_text() for name in NAMES}
    for name in NAMES:
        (folder / name).write_text("".join(whole[name].splitlines(keepends=True)[:4]))
    cli("predict", "run")
    assert len(asked) == 2 * (len(SUMS) - 4)
    for name in NAMES:
        assert sorted((folder / name).read_text().splitlines()) == sorted(whole[name].splitlines())
    asked.clear()
    monkeypatch.setattr(Reader, "open", lambda reader: pytest.fail("a model was loaded"))
    cli("predict", "run")
    assert not asked


def test_a_file_that_has_changed_is_noticed(folder, cli):
    old = (folder / "after.guard.page.text.json").read_text()
    Path("page.txt").write_text(PAGE * 2)
    assert "the text or the model has changed: measuring again" in cli("predict", "run").err
    new = (folder / "after.guard.page.text.json").read_text()
    assert json.loads(new)["tokens"] > json.loads(old)["tokens"]
    Path("sums.csv").write_text(Path("sums.csv").read_text().replace("2 + 3", "3 + 2"))
    message = cli("predict", "run", code=2).err
    assert f"{Path('run/predictions') / NAMES[0]} holds answers to other samples" in message


def test_a_run_without_its_files_is_still_asked_and_scored(folder, cli):
    Path("sums.csv").unlink()
    note = "eval.guard is not asked: there is no file or folder 'sums.csv'"
    assert note in cli("predict", "run").err
    assert "sums, exactly right" in cli("score", "run").out


def test_a_guard_may_be_added_to_a_finished_run(folder, cli):
    for file in folder.glob("*.guard.*"):
        file.unlink()
    cli("predict", "run", "eval.guard=page.txt")
    assert sorted(file.name for file in folder.glob("*.guard.*")) == [
        "after.guard.page.text.json", "before.guard.page.text.json",
    ]  # fmt: skip


def test_what_is_no_run_has_no_training_to_forget_by(here, cli, monkeypatch):
    write_files(here)
    Path("recipe.json").write_text(json.dumps(RECIPE))
    Path("recipe.json").rename("recipe.yaml")
    err = cli("predict", "gnomon-tiny", "recipe.yaml", "model.load_in_4bit=false").err
    assert "eval.guard is not asked: that needs a run on this machine" in err
    assert not list(Path().rglob("*.guard.*"))


def guard_of(*names):
    return Guard.of(validate(Eval, {"guard": list(names)}))


@pytest.mark.parametrize(
    ("table", "kinds"),
    [
        ("question,answer\nWhat is 2 + 3?,5\nAnd half?,2.5", {"number"}),
        ("question,answer\nWhen?,10:08\nAnd then?,11:30", {"time"}),
        ("question,answer\nWhen?,10:08\nWho?,Ada", {"text"}),
    ],
)
def test_the_labels_of_a_table_tell_its_type(here, table, kinds):
    Path("t.csv").write_text(table)
    assert {question.target.type_name for question in guard_of("t.csv").exams["t"]} == kinds


def test_choices_and_pictures_come_from_their_columns(here):
    Image.new("RGB", (20, 20)).save("a.png")
    rows = [
        {"question": "Red or blue?", "answer": "B", "options": ["red", "blue"], "image": "a.png"},
        {"question": "Two or three?", "answer": "A", "options": ["two", "three"]},
    ]
    Path("t.jsonl").write_text("\n".join(map(json.dumps, rows)))
    with_picture, without = guard_of("t.jsonl").exams["t"]
    assert (with_picture.image is None, without.image is None) == (False, True)
    assert with_picture.target.choices == ("A", "B")
    assert "B. blue" in with_picture.question


def test_at_most_500_questions_of_a_table_are_asked(here):
    rows = [f"What is {i}?,{i}" for i in range(501)]
    Path("t.csv").write_text("\n".join(["question,answer", *rows]))
    assert guard_of("t.csv").exams["t"].samples == 500


UNFIT = {
    "gone.csv": (None, "there is no file or folder 'gone.csv'"),
    "empty.csv": ("question,answer\n", "empty.csv: it has no rows"),
    "plain.csv": ("a,b\n1,2\n", "no column 'question' or 'answer'"),
    "blank.txt": (" \n", "blank.txt: it has no text"),
    "latin.txt": ("caf\udce9 au lait", "latin.txt is not UTF-8"),
    "long.txt": ("word " * 60_000, "gnomon reads at most 262,144"),
    "page.pdf": ("%PDF", "page.pdf: give a table, a dataset or a text (.txt, .md)"),
}


@pytest.mark.parametrize("name", UNFIT)
def test_a_file_that_cannot_be_used_is_refused_before_the_training(here, cli, name):
    text, message = UNFIT[name]
    if text is not None:
        Path(name).write_text(text, encoding="utf-8", errors="surrogateescape")
    for verb in ("run", "train", "plan"):
        err = cli(verb, "demo", f"eval.guard={name}", code=2).err
        assert "eval.guard: " in err
        assert message in err
    assert not Path("runs").exists()


def test_two_files_of_one_name_are_refused(here):
    write_files(here)
    Path("sums.md").write_text(PAGE)
    with pytest.raises(RecipeError, match="two files are called sums"):
        guard_of("sums.csv", "sums.md")


def test_the_plan_says_what_the_guard_asks(here, cli):
    write_files(here)
    said = cli("plan", "demo", "eval.guard=[sums.csv, page.txt]").out
    assert "guard: 6 questions of sums and 67 characters of page, before and after" in said


def test_a_guard_lies_beside_its_recipe(here, monkeypatch, cli):
    Path("recipes").mkdir()
    write_files(Path("recipes"))
    text = json.dumps({**RECIPE, "eval": {"guard": "sums.csv"}})
    Path("recipes/mine.yaml").write_text(text)
    assert "guard: 6 questions of sums" in cli("plan", "recipes/mine.yaml").out


@pytest.mark.slow
def test_a_whole_run_asks_its_guard_and_says_so_in_its_card(here, cli):
    write_files(here)
    Path("mine.yaml").write_text(json.dumps(RECIPE))
    shown = cli("run", "mine.yaml", "--out", "run", "--workers", 1).out
    (row,) = [line for line in shown.splitlines() if line.startswith("sums, exactly right")]
    card = (RunFolder(Path("run")).adapter / "README.md").read_text()
    assert row in card
    # The adapter switched off gives what the model gave before the training.
    predicted = Path("run/predictions")
    names = NAMES[0], "before.guard.page.text.json"
    before = {name: (predicted / name).read_text() for name in names}
    for name in before:
        (predicted / name).unlink()
    cli("predict", "run")
    for name, text in before.items():
        assert (predicted / name).read_text() == text
    # A guard that names other files asks them, and trains nothing again.
    Path("more.csv").write_text("question,answer\nWhat is 1 + 1?,2\n")
    shown = cli("run", "mine.yaml", "eval.guard=[sums.csv, more.csv]", "--out", "run").out
    assert "more, exactly right" in shown
