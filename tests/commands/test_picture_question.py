"""Pictures without labels are asked what the model was trained on, or nothing at all."""

import csv
import json
from decimal import Decimal
from pathlib import Path

import pytest
from PIL import Image

from gnomon import store
from gnomon.answers.box.answer import BoxForm
from gnomon.answers.boxes.answer import BoxesForm
from gnomon.answers.number.answer import NumberForm
from gnomon.answers.text.answer import ANY_TEXT, TextForm
from gnomon.answers.time.answer import TimeForm
from gnomon.eval.scoring import predictions, question_file
from gnomon.recipe import Recipe, RecipeError, override, to_yaml, validate
from gnomon.runs.directory import write_json
from gnomon.runs.exam import Exam
from gnomon.runs.provenance import provenance_path
from gnomon.runs.reader import Reader
from gnomon.runs.resolve import resolve
from gnomon.sample import Number, Prediction, Sample
from gnomon.store.user_data.opening import open_table

CLOCK = "What time does the clock show? Answer HH:MM."
DIGIT = "Which digit is it? Answer with a number."
WHEEL = {"path": "wheel/labels.csv", "columns": {"ask": DIGIT, "kind": "number"}}
MIXED = {"path": "mixed.csv", "columns": {"image": "image", "kind": "number"}}


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Makes a run's directory of a recipe's data, none of which is there."""
    monkeypatch.chdir(tmp_path)

    def made(**raw):
        recipe = validate(Recipe, {"model": {"name": "gnomon-tiny"}, **raw}, name="test")
        Path("run").mkdir()
        Path("run/recipe.yaml").write_text(to_yaml(recipe))
        return resolve("run/recipe.yaml", stored=True).check_names()

    return made


def asked(opened):
    return Reader(opened, Path("run")).question


def answered(opened, texts):
    """The questions of a finished run, as it keeps them beside its answers."""
    file = Path("run/predictions/after.jsonl")
    exam = Exam(opened.data, "test", 0, len(texts))
    samples = [
        Sample(str(i), Image.new("RGB", (4, 4), (i, 0, 0)), text, Number(Decimal(i)))
        for i, text in enumerate(texts)
    ]
    for _ in question_file.record(samples, question_file.question_path(file)):
        pass
    predictions.append(file, [Prediction(s.id, "1", None, "plain") for s in samples])
    write_json(
        provenance_path(file),
        {"exam": exam.to_json(), "data": {"source": "own"}, "versions": {}, "kinds": {}},
    )


CLOCKS = {"kind": "clock"}


@pytest.mark.parametrize(
    ("values", "question"),
    [
        ({"data": [WHEEL]}, DIGIT),  # wherever its pictures are now
        ({"data": [CLOCKS]}, CLOCK),  # a kind's plainest question
        ({"data": [CLOCKS | {"options": {"level": "hard"}}]}, CLOCK),
        ({"data": [CLOCKS | {"options": {"numerals": ["arabic-24"], "second_hand": 0.0}}]}, CLOCK),
        ({"data": [CLOCKS | {"weight": 4}, WHEEL]}, DIGIT),  # of drawn and own, that of the own
        # What a run is measured on counts, and sums have no picture.
        ({"data": [{"kind": "arithmetic"}], "eval": {"data": [WHEEL], "split": "all"}}, DIGIT),
    ],
)
def test_the_question_of_what_was_learnt_is_asked(run, values, question):
    assert asked(run(**values)) == question


def test_several_questions_are_listed_and_none_is_asked(run):
    other = {**WHEEL, "columns": {"ask": "Which way is up?", "kind": "text"}}
    with pytest.raises(RecipeError) as refused:
        asked(run(data=[WHEEL, other]))
    told = str(refused.value)
    assert "several questions" in told
    assert 'question="…"' in told
    assert told.splitlines()[1:] == [f"  {DIGIT}", "  Which way is up?"]


def test_questions_that_name_what_is_drawn_are_no_question_of_a_photograph(run):
    with pytest.raises(RecipeError, match="several questions") as refused:
        asked(run(data=[{"kind": "scene", "options": {"size": 112}}]))
    assert len(str(refused.value).splitlines()) == 12  # ten, and how many more


@pytest.mark.parametrize("texts", [["What does it read?"] * 3, ["What does it read?", "Is it on?"]])
def test_a_run_remembers_what_moved_rows_asked(run, texts):
    opened = run(data=[MIXED])
    with pytest.raises(RecipeError, match="records no question about pictures"):
        asked(opened)
    answered(opened, texts)
    if len(set(texts)) == 1:
        assert asked(opened) == texts[0]
        return
    with pytest.raises(RecipeError, match="Is it on"):
        asked(opened)


def written(place, *, n, **source):
    """Write samples of a source as a dataset."""
    data = validate(Recipe, {"data": [source]}, name="test").data
    samples = store.mixture(data, split="train", seed=0)
    store.write(samples, Path(place), n=n, split="train", workers=1)


def test_a_dataset_of_clocks_has_the_question_of_clocks(run):
    opened = run(data=[{"path": "clocks"}])
    written("clocks", n=3, kind="clock", options={"size": 84})
    assert asked(opened) == CLOCK


def test_only_what_a_run_wrote_down_is_left(run):
    """It was trained on a hub's rows, and never asked; its own data directory has them."""
    opened = run(data=[{"path": "gone.csv", "columns": {"kind": "number"}}])
    Image.new("RGB", (9, 9)).save("a.png")
    Path("l.csv").write_text("image,question,answer,split\na.png,Which?,1,train\n")
    written("run/data", n=1, path="l.csv", columns={"kind": "number", "split": "split"})
    assert asked(opened) == "Which?"


@pytest.mark.parametrize(
    ("metadata", "question"),
    [
        (f"questions: [{json.dumps(DIGIT)}]", DIGIT),
        ("questions: [5]", None),
        ("questions: no", None),
        ("- no metadata", None),
        (None, None),  # as the checkpoint of another maker
    ],
)
def test_a_merged_model_has_the_question_of_its_card(tmp_path, metadata, question):
    if metadata is not None:
        (tmp_path / "README.md").write_text(f"---\n{metadata}\n---\nwords")
    raw = {"data": [CLOCKS], "model": {"name": str(tmp_path)}}
    opened = validate(Recipe, raw, name="test")
    if question is None:
        with pytest.raises(RecipeError, match="records no question about pictures"):
            _ = Reader(opened).question
    else:
        assert Reader(opened).question == question


def test_a_picture_s_reading_is_printed_with_its_question_and_belief(here, cli):
    Image.new("RGB", (40, 30), "white").save("photo.jpg")
    listed = ["05:00", "10:08", "12:00"]
    words = [f"eval.belief=[{', '.join(listed)}]", "--belief", "--question", CLOCK]
    said = cli("predict", "gnomon-tiny", "photo.jpg", *words, "--out", "answers.csv")
    header, row = csv.reader(Path("answers.csv").read_text().splitlines())
    columns = [f"belief.{answer}" for answer in listed]
    assert header[:8] == ["file", "answer", "likeliest", "belief", "belief_listed", *columns]
    shares = dict(zip(columns, map(float, row[5:8]), strict=True))
    assert sum(shares.values()) == pytest.approx(1, abs=1e-3)
    assert shares[f"belief.{row[2]}"] == max(shares.values()) == float(row[3])
    assert 0 < float(row[4]) <= 1
    reading, file = said.out.splitlines()
    assert reading.startswith(f"photo.jpg: {row[1]} (likeliest of those listed: {row[2]}, ")
    assert file == f'answers.csv: 1 answer to "{CLOCK}"'
    assert f"asking: {CLOCK}" in said.err
    # An answer is chosen from a grid.
    words = ["eval.answer=median", "eval.grid=[0, 9.9, 0.1]", "--question", "What does it read?"]
    cli("predict", "gnomon-tiny", "photo.jpg", *words, "--out", "chosen.csv")
    header, row = csv.reader(Path("chosen.csv").read_text().splitlines())
    assert header[:2] == ["file", "answer"]
    assert row[1] in {f"{tenth / 10:.1f}" for tenth in range(100)}


@pytest.mark.parametrize(
    ("columns", "form"),
    [
        ({"kind": "number", "cycle": 10, "within": 0.1},
         NumberForm("", Decimal("0.1"), Decimal(10))),
        ({"kind": "number", "unit": "bar", "within": 0.5}, NumberForm("bar")),
        ({"kind": "time", "hours": 24}, TimeForm(24)),
        ({"kind": "text", "choices": ["on", "off"]}, TextForm(("on", "off"))),
        ({"kind": "box"}, BoxForm()),
        ({"kind": "boxes"}, BoxesForm()),
    ],
)  # fmt: skip
def test_pictures_without_labels_have_the_form_of_the_run_s_own(run, columns, form):
    table = {"path": "labels.csv", "columns": {"ask": "What is it?", **columns}}
    recipe = run(data=[{"kind": "clock"}, table])
    assert Reader(recipe, Path("run")).form_of("What is it?") == form


@pytest.mark.parametrize(
    ("units", "form"),
    [
        (["bar", "bar"], NumberForm("bar", Decimal("0.5"), Decimal(10))),
        (["bar", "kPa"], ANY_TEXT),
    ],
)
def test_pictures_have_a_unit_of_a_column_if_all_labels_have_it(run, units, form):
    lines = [
        f"{index}.png,What is it?,{index},{unit},0.5,train" for index, unit in enumerate(units)
    ]
    for index in range(len(units)):
        Image.new("RGB", (9, 9), (index, 0, 0)).save(f"{index}.png")
    Path("labels.csv").write_text("\n".join(["image,question,answer,unit,by,part", *lines]))
    columns = {"kind": "number", "cycle": 10, "split": "part"}
    columns |= {"unit": "unit", "within": "by"}
    recipe = run(data=[{"path": "labels.csv", "columns": columns}])
    rows = open_table("labels.csv", recipe.data[0].columns, "train")
    store.write(rows, Path("run/data"), n=rows.length, split="train", workers=1)
    assert Reader(recipe, Path("run")).form_of("What is it?") == form


def test_pictures_have_the_form_of_a_drawn_kind_where_there_are_no_others(run):
    recipe = run(data=[{"kind": "gauge", "options": {"instruments": ["dial"]}}])
    form = Reader(recipe, Path("run")).form_of("What is it?")
    assert (form.cycle, len(form.possible_answers())) == (10, 100)


def test_listed_answers_are_texts_as_they_are_written():
    """10:30 was 630 and 07 was 7 to YAML 1.1."""
    raw = {"data": [{"kind": "clock"}]}
    opened = validate(Recipe, override(raw, ["eval.belief=[10:30, 07, 5, 0.5, noon]"]), name="test")
    assert opened.eval.belief == ("10:30", "07", "5", "0.5", "noon")
    with pytest.raises(RecipeError, match=r"eval\.seed"):
        validate(Recipe, override(raw, ["eval.seed=010"]), name="test")
