"""A user's own pictures, mixed with drawn ones: trained on, held apart, scored apart."""

import csv
import json
from dataclasses import replace

import pytest
from command_toys import gnomon
from PIL import Image

from gnomon.generators import create
from gnomon.recipe import Recipe, RecipeError, override, to_yaml, validate
from gnomon.runs.claim import claim
from gnomon.runs.model_arguments import recipe_and_exam, resolve_model
from gnomon.runs.picture_input import pictures_in
from gnomon.runs.reader import Reader
from gnomon.runs.resolve import resolve, resolve_values
from gnomon.runs.table_warnings import warn_of_mistakes
from gnomon.runs.training import resolve_for_training
from gnomon.store import mixture as create_mixture

RECIPE = """
data:
  - path: {folder}/labels.csv
    weight: 1
    columns: {columns}
  - kind: gauge
    weight: 4
    options: {{size: 160}}
loss: {{name: ntil}}
train: {{samples: 20, per_device_train_batch_size: 4, learning_rate: 1e-3, max_steps: 2}}
eval: {{samples: 10, batch_size: 5, max_new_tokens: 8}}
"""
READING = (
    '{image: file, ask: "What does it read?", answer: reading, kind: number, within: 0.5,'
    " group: site}"
)
POINTER = '{image: file, ask: "Where is the pointer?", answer: pointer, kind: box, group: site}'


def recipe(folder, columns):
    file = folder / "own.yaml"
    file.write_text(RECIPE.format(folder=folder, columns=columns))
    return file


@pytest.fixture
def rows(tmp_path):
    """Forty files as a telephone leaves them, wide and worn, with a table of what they show."""
    gauges = create("gauge", size=224, level="hard", degrade="heavy", seed=9)
    found = []
    for index in range(40):
        sample, wide = gauges[index], 224 + 4 * (index % 20)
        photo = Image.new("RGB", (wide, 240), (90, 84, 78))
        photo.paste(sample.image, (wide - 224, 16))
        photo.save(tmp_path / f"IMG_{index:04}.jpg", quality=80)
        x1, y1, x2, y2 = sample.facts["pointer_box"]
        found.append({
            "file": f"IMG_{index:04}.jpg", "site": index // 2, "reading": sample.facts["value"],
            "pointer": f"{x1 + wide - 224:.1f} {y1 + 16:.1f} {x2 + wide - 224:.1f} {y2 + 16:.1f}",
        })  # fmt: skip
    write(tmp_path, found)
    return found


def write(folder, rows):
    lines = [list(rows[0]), *(row.values() for row in rows)]
    with (folder / "labels.csv").open("w", newline="") as file:
        csv.writer(file).writerows(lines)


@pytest.mark.slow
@pytest.mark.parametrize(("columns", "kind"), [(READING, "reading"), (POINTER, "box")])
def test_own_pictures_are_trained_on_and_scored_apart(columns, kind, rows, tmp_path, capsys):
    run = tmp_path / "run"
    assert gnomon("run", recipe(tmp_path, columns), "--out", run, "--workers", 1) == 0
    (tmp_path / "labels.csv").unlink()
    for photo in tmp_path.glob("*.jpg"):
        photo.unlink()
    before = (run / "report.html").read_bytes()
    assert gnomon("score", run) == 0  # for good: its questions and pictures are its own
    assert (run / "report.html").read_bytes() == before
    scores = json.loads((run / "report.json").read_text())["runs"]
    assert scores["after: labels.csv"][kind]["n"] == 2
    assert scores["after: gauge"]["reading"]["n"] == 8
    if kind == "reading":  # both sources' answers are of one kind: told together, and apart
        assert scores["after"]["reading"]["n"] == 10
        for told in (capsys.readouterr().out, (run / "report.html").read_text()):
            assert "Only questions of labels.csv" in told
            assert "Only questions of gauge" in told


@pytest.mark.slow
def test_answers_are_scored_but_none_added_after_the_labels_were_edited(rows, tmp_path, capsys):
    """The truths are those that were asked; answers to two exams never stand in one file."""
    asked = ["predict", "gnomon-tiny", recipe(tmp_path, READING), "eval.samples=10"]
    answers = tmp_path / "answers.jsonl"
    assert gnomon(*asked, "--out", answers) == 0
    assert gnomon("score", answers) == 0
    before = json.loads(answers.with_suffix(".json").read_text())
    capsys.readouterr()
    write(tmp_path, [{**row, "reading": float(row["reading"]) + 1} for row in rows])
    assert gnomon("score", answers) == 0
    for told in (capsys.readouterr().err, answers.with_suffix(".html").read_text()):
        assert "The pictures are missing: since they were asked about, labels.csv or" in told
    assert json.loads(answers.with_suffix(".json").read_text()) == before
    lines = answers.read_text().splitlines(keepends=True)
    answers.write_text("".join(lines[:6]))
    assert gnomon(*asked, "--out", answers) == 2
    assert "answers.jsonl holds answers to other samples (labels.csv line" in (
        capsys.readouterr().err
    )
    assert answers.read_text() == "".join(lines[:6])
    answers.unlink()  # asked again, the old questions are gone as well
    assert gnomon(*asked, "--out", answers) == 0
    assert gnomon("score", answers) == 0
    again = json.loads(answers.with_suffix(".json").read_text())
    errors = [found["runs"]["answers"]["reading"]["results"] for found in (before, again)]
    assert errors[0] != errors[1]


ASKED = '{image: file, ask: "What time is it?", answer: time, kind: time, group: house}'
WORDS = ("columns.image=file", "columns.ask=What time is it?", "columns.answer=time",
         "columns.kind=time", "columns.group=house")  # fmt: skip


@pytest.fixture
def photographs(tmp_path):
    """Forty photographs in twenty houses; 34, 4 and 2 of them in the splits."""
    found = []
    for index in range(40):
        Image.new("RGB", (60 + index, 50), (index, 90, 90)).save(tmp_path / f"{index}.jpg")
        told = f"{1 + index % 12}:{index:02}"
        found.append({"file": f"{index}.jpg", "time": told, "house": index // 2})
    write(tmp_path, found)
    return tmp_path / "labels.csv"


def alone(labels):
    """A recipe of own pictures alone, no number of samples in it."""
    file = labels.with_name("alone.yaml")
    file.write_text(f"data: [{{path: {labels}, columns: {ASKED}}}]\n")
    return file


def test_own_rows_are_trained_on_once_an_epoch_unless_told_otherwise(photographs, cli):
    opened, run = resolve(alone(photographs)).recipe, photographs.with_name("run")
    assert (opened.train.samples, opened.eval.samples) == (34, 2)
    (photographs.with_name("held.yaml")).write_text(to_yaml(opened))  # as a run holds it
    assert resolve(photographs.with_name("held.yaml")).recipe == opened
    words = ("train", alone(photographs))
    message = cli(*words, "train.samples=35", "--out", run, code=2).err
    assert "train.samples: 35: there are only 34 to train on" in message
    assert not run.exists()
    other = photographs.with_name("other.csv")
    other.write_text(photographs.read_text().replace(":0", ":3"))
    two = ", ".join(f"{{path: {file}, columns: {ASKED}}}" for file in (photographs, other))
    every = resolve(alone(photographs), [f"data=[{two}]"]).recipe.train.samples
    assert every >= 68
    message = cli(*words, f"data=[{two}]", "train.samples=10000", code=2).err
    assert f"train.samples: 10000: a pass through all sources has {every}, with" in message
    both = f"data=[{{path: {photographs}, columns: {ASKED}}}, {{kind: clock, weight: 4}}]"
    mixed = resolve(alone(photographs), [both, "train.samples=9999"]).recipe
    assert mixed.train.samples == 9999  # the few come again, as their weight says
    assert mixed.eval.samples < 30  # none of these is asked twice
    # What is drawn is as many as ever: runs begun before hold the numbers in their recipe.yaml.
    data = [{"kind": "clock"}]
    written = {"data": data, "train": {"samples": 10_000}, "eval": {"samples": 500}}
    assert resolve_values({"data": data}).recipe == resolve_values(written).recipe


def test_of_several_tables_every_test_row_is_asked_and_scored_by_its_table(photographs, cli):
    """The second table is a third of the first, so it ends first."""
    head, *rows = photographs.read_text().splitlines()
    photographs.with_name("few.csv").write_text("\n".join([head, *rows[::3]]))
    tables = [photographs, photographs.with_name("few.csv")]
    data = ", ".join(f"{{path: {table}, columns: {ASKED}}}" for table in tables)
    recipe = photographs.with_name("both.yaml")
    recipe.write_text(f"data: [{data}]\neval: {{data: [{data}], split: all, max_new_tokens: 2}}\n")
    exam = resolve(recipe).exam
    n_rows = [part["rows"] for part in exam.pool.describe()["sources"]]
    assert n_rows[1] < n_rows[0] / 2
    assert exam.samples == sum(n_rows)
    ids = exam.by_source(exam.questions, exam.pool.describe())
    assert [len(some) for some in ids.values()] == n_rows
    names = [{name.rpartition("-")[0] for name in some} for some in ids.values()]
    assert names == [{table.name} for table in tables]
    message = cli("predict", "gnomon-tiny", recipe, "eval.samples=99", "--out", "a.jsonl", code=2)
    assert f"the all split has only {sum(n_rows)}: ask for fewer" in message.err


@pytest.mark.parametrize("given", ["file", "folder", "dataset"])
def test_rows_are_planned_and_previewed_without_a_recipe(given, photographs, capsys):
    rows = "34 train, 4 val, 2 test rows, of 17 train, 2 val, 1 test groups by house"
    what, words, steps = photographs, WORDS, 9
    if given == "folder":
        what.rename(what.with_name("metadata.csv"))
        what = what.parent
    if given == "dataset":
        wanted = ("--n", 30, "--workers", 1, *words)
        what, words, rows = what.with_name("written"), (), "30 train, 0 val, 0 test rows"
        steps = 8
        assert gnomon("generate", photographs, *wanted, "--out", what) == 0
    sheet = photographs.with_name("sheet.png")
    capsys.readouterr()
    assert gnomon("preview", what, "-o", sheet, "--n", 40, *words) == 0
    assert capsys.readouterr().out == f"{what.name}: {rows}\n{sheet}\n"
    with Image.open(sheet) as picture:
        assert picture.width > 600
    assert gnomon("plan", what, "--config-only", *words, "train.num_train_epochs=2") == 0
    told = capsys.readouterr().out
    assert told.startswith(f"{what.name}: {rows}\ngnomon-tiny (gnomon-tiny)")
    assert f"steps     {steps} of 8 × 1 samples" in told


@pytest.fixture
def mistaken(tmp_path):
    """Sixty rows: a picture with two labels, and one that is also a copy in another split."""
    rows = []
    for index in range(58):
        Image.new("L", (16, 16), 4 * index).save(tmp_path / f"{index}.png")
        split = ("train", "test")[index == 57]
        rows.append({"image": f"{index}.png", "answer": index // 6, "split": split})
    (tmp_path / "copy.png").write_bytes((tmp_path / "9.png").read_bytes())
    rows.append({"image": "copy.png", "answer": 1, "split": "test"})
    rows.append({"image": "30.png", "answer": 6, "split": "train"})
    write(tmp_path, rows)
    return tmp_path / "labels.csv"


def test_mistakes_among_rows_are_told_before_anything_is_spent(mistaken, tmp_path, cli, capsys):
    words = ('columns={kind: number, ask: "Which digit?", split: split}',)
    conflict = (
        "gnomon: labels.csv: 1 question has different answers: line 32 says 5 and line 61 says 6"
        " of 30.png; keep the right ones\n"
    )
    leak = (
        "gnomon: 1 picture occurs in several splits, so training data is tested: 9.png"
        " (train, labels.csv line 11) is copy.png (test, labels.csv line 60); give rows of one"
        " picture the same value in the column of columns.split or columns.group\n"
    )
    said = cli("preview", mistaken, "-o", tmp_path / "sheet.png", *words).err
    assert said == conflict + leak
    said = cli("plan", mistaken, "--config-only", "--json", *words)
    assert said.err == conflict + leak
    json.loads(said.out)
    # The leak is a line of its own output.
    assert cli("stats", mistaken, "--workers", 1, *words, code=1).err == conflict
    values = override({"data": [{"path": str(mistaken)}]}, [f"data.0.{words[0]}"])
    file = tmp_path / "recipe.yaml"
    file.write_text(to_yaml(validate(Recipe, values)))
    resolve_for_training(str(file), [])  # as run and train open it
    assert capsys.readouterr().err == conflict + leak


def test_a_picture_of_the_exam_that_is_trained_on_is_told_across_files(mistaken, tmp_path, capsys):
    exam = tmp_path / "exam.csv"
    exam.write_text("image,answer\ncopy.png,1\n0.png,0\n1.png,0\n")
    columns = {"kind": "number", "ask": "Which digit?"}
    recipe = validate(Recipe, {
        "data": [{"path": str(mistaken), "columns": columns | {"split": "split"}}],
        "eval": {"split": "all", "data": [{"path": str(exam), "columns": columns}]},
    })  # fmt: skip
    warn_of_mistakes(recipe)
    told = capsys.readouterr().err.splitlines()[-1]
    assert "3 pictures occur in several splits" in told
    assert "9.png (train, labels.csv line 11) is copy.png (all, exam.csv line 2)" in told


def test_a_preview_of_a_sorted_table_shows_all_labels_and_others_by_seed(mistaken, tmp_path):
    words = ("columns.kind=number", "columns.ask=Which digit?", "--n", 12)
    sheets = []
    for seed in (None, 0, 1):
        sheet = tmp_path / f"{seed}.png"
        given = () if seed is None else ("--seed", seed)
        assert gnomon("preview", mistaken, "-o", sheet, *words, *given) == 0
        sheets.append(sheet.read_bytes())
    assert sheets[0] == sheets[1] != sheets[2]


OWN = ["columns.image=file", "columns.answer=reading", "columns.kind=number", "columns.within=0.5",
       "columns.ask=Reading?"]  # fmt: skip


@pytest.mark.parametrize(
    ("more", "n"),
    [([], 40), (["eval.split=test"], 4), (["columns.group=site", "eval.samples=7"], 7)],
)
def test_a_model_is_asked_about_own_rows_without_a_recipe(rows, tmp_path, more, n):
    """A recipe had to be written first, and nine rows of ten were never asked."""
    file, words = str(tmp_path / "labels.csv"), [*OWN, *more]
    resolved = resolve_model("gnomon-tiny", file, words)
    assert len(recipe_and_exam(resolved, file, words, Reader(resolved.parsed))[1].ids()) == n


def test_a_run_is_asked_what_it_did_not_learn_of_own_rows(rows, tmp_path):
    recipe(tmp_path, READING).rename(tmp_path / "recipe.yaml")  # as a run has it
    file = str(tmp_path / "labels.csv")

    def asked(*words):
        resolved = resolve_model(str(tmp_path), file, words)
        return recipe_and_exam(resolved, file, words, Reader(resolved.parsed, tmp_path))

    learned, exam = asked()
    trained = create_mixture(learned.data[:1], split="train", seed=0)
    assert exam.split == "test"
    assert exam.sources[0].columns.group == "site"
    assert not exam.ids() & {trained.id(index) for index in range(trained.length)}
    assert len(asked("eval.split=all")[1].ids()) == 40


def test_a_run_reads_new_pictures_where_what_it_learned_is_gone(rows, tmp_path):
    recipe(tmp_path, READING).rename(tmp_path / "recipe.yaml")
    (tmp_path / "labels.csv").unlink()
    (tmp_path / "new").mkdir()
    new = str(tmp_path / "new")
    assert pictures_in(new) == tmp_path / "new"
    assert resolve_model(str(tmp_path), new, []).check_names().data
    with pytest.raises(RecipeError, match=r"labels\.csv' is not a file"):
        _ = resolve_model(str(tmp_path), None, []).exam


def test_pictures_elsewhere_are_read_once_they_are_allowed(photographs, tmp_path, capsys):
    """On the command line as in a recipe, and by a run that was begun without the key."""
    (folder := tmp_path / "tables").mkdir()
    labels = photographs.rename(folder / "labels.csv")
    labels.write_text(labels.read_text().replace("\n", "\n../").removesuffix("../"))
    out, allowed = tmp_path / "out", f"pictures={tmp_path}"
    for words in (
        ["stats", labels],
        ["generate", labels, "--n", 5, "--workers", 1, "--out", out],
        ["export", labels, "--to", "trl", "--family", "qwen2-vl", "--out", out],
    ):
        assert gnomon(*words, *WORDS) == 1
        told = f"line 2: '../0.jpg' lies outside the folder: {allowed} also allows that folder"
        assert told in capsys.readouterr().err
        assert not out.exists()
    assert gnomon("stats", labels, allowed, *WORDS) == 0
    recipe = alone(labels)
    assert gnomon("plan", recipe, "--config-only", f"data.0.{allowed}") == 0
    run, closed = tmp_path / "run", resolve(recipe, [f"data.0.{allowed}"]).recipe
    claim(run, replace(closed, data=(replace(closed.data[0], pictures=None),)), sources=())
    (run / "checkpoints" / "checkpoint-2").mkdir(parents=True)
    claim(run, closed, sources=())
    assert resolve(run / "recipe.yaml", stored=True).recipe.data[0].pictures == str(tmp_path)
