"""Pictures without labels are asked what the model was trained on, or nothing at all."""

from __future__ import annotations

import csv
import json
from dataclasses import asdict
from decimal import Decimal
from pathlib import Path

import pytest
from command_toys import gnomon
from PIL import Image

from gnomon import store
from gnomon.commands.answer_files import Provenance, provenance_path
from gnomon.commands.directory import write_json
from gnomon.commands.exam import Exam
from gnomon.commands.pictures import answer_form, question_of
from gnomon.commands.resolve import resolve
from gnomon.eval.scoring import predictions, questions
from gnomon.recipe import Recipe, RecipeError, override, to_yaml, validate
from gnomon.sample import Number, Prediction, Sample, Text, Time

CLOCK = "What time does the clock show? Answer HH:MM."
DIGIT = "Which digit is it? Answer with a number."
WHEEL = {"path": "wheel/labels.csv", "columns": {"ask": DIGIT, "kind": "number"}}
SERVER = ("--server", "http://localhost:1/v1")
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
    return question_of(opened, Path("run"))


def answered(opened, texts):
    """The questions of a finished run, as it keeps them beside its answers."""
    file = Path("run/predictions/after.jsonl")
    exam = Exam(opened.data, "test", 0, len(texts))
    samples = [
        Sample(str(i), Image.new("RGB", (4, 4), (i, 0, 0)), text, Number(Decimal(i)))
        for i, text in enumerate(texts)
    ]
    for _ in questions.record(samples, questions.question_path(file)):
        pass
    predictions.append(file, [Prediction(s.id, "1", None, "plain") for s in samples])
    write_json(provenance_path(file), asdict(Provenance(exam, {"source": "own"}, {})))


def test_a_table_s_own_question_is_asked_wherever_its_pictures_are_now(run):
    assert asked(run(data=[WHEEL])) == DIGIT


@pytest.mark.parametrize(
    "options", [{}, {"level": "hard"}, {"numerals": ["arabic-24"], "second_hand": 0.0}]
)
def test_a_kind_s_plainest_question_is_asked(run, options):
    assert asked(run(data=[{"kind": "clock", "options": options}])) == CLOCK


def test_of_drawn_and_own_pictures_it_is_the_question_of_the_own(run):
    opened = run(data=[{"kind": "clock", "weight": 4}, WHEEL])
    assert asked(opened) == DIGIT


def test_what_a_run_is_measured_on_counts_and_sums_have_no_picture(run):
    opened = run(data=[{"kind": "arithmetic"}], eval={"data": [WHEEL], "split": "all"})
    assert asked(opened) == DIGIT


def test_several_questions_are_listed_and_none_is_asked(run):
    other = {**WHEEL, "columns": {"ask": "Which way is up?", "kind": "text"}}
    with pytest.raises(RecipeError) as refused:
        asked(run(data=[WHEEL, other]))
    told = str(refused.value)
    assert "several questions" in told
    assert "--question" in told
    assert told.splitlines()[1:] == [f"  {DIGIT}", "  Which way is up?"]


def test_questions_that_name_what_is_drawn_are_no_question_of_a_photograph(run):
    with pytest.raises(RecipeError, match="several questions") as refused:
        asked(run(data=[{"kind": "scene", "options": {"size": 112}}]))
    assert len(str(refused.value).splitlines()) == 12  # ten, and how many more


def test_a_run_remembers_what_moved_rows_asked(run):
    opened = run(data=[MIXED])
    with pytest.raises(RecipeError, match="records no question about pictures"):
        asked(opened)
    answered(opened, ["What does it read?"] * 3)
    assert asked(opened) == "What does it read?"


def test_a_run_remembers_that_moved_rows_asked_several_things(run):
    opened = run(data=[MIXED])
    answered(opened, ["What does it read?", "Is it on?"])
    with pytest.raises(RecipeError, match="Is it on"):
        asked(opened)


def test_a_dataset_of_clocks_has_the_question_of_clocks(run):
    opened = run(data=[{"path": "clocks"}])
    made = validate(
        Recipe, {"data": [{"kind": "clock", "options": {"size": 84}}]}, name="test"
    ).data
    store.write(store.mixture(made, split="train", seed=0), Path("clocks"), n=3, split="train")
    assert asked(opened) == CLOCK


def test_only_what_a_run_wrote_down_is_left(run):
    """It was trained on a hub's rows, and never asked; its own data directory has them."""
    opened = run(data=[{"path": "gone.csv", "columns": {"kind": "number"}}])
    made = validate(
        Recipe, {"data": [{"kind": "clock", "options": {"size": 84}}]}, name="test"
    ).data
    Path("l.csv").write_text("image,question,answer\na.png,Which?,1\nb.png,Which?,2\n")
    for name in ("a.png", "b.png"):
        Image.new("RGB", (9, 9)).save(name)
    made = validate(
        Recipe, {"data": [{"path": "l.csv", "columns": {"kind": "number"}}]}, name="t"
    ).data
    rows = store.mixture(made, split="train", seed=0)
    store.write(rows, Path("run/data"), n=rows.length, split="train", workers=1)
    assert asked(opened) == "Which?"


def test_a_checkpoint_of_another_maker_has_no_question(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    opened = validate(
        Recipe, {"data": [{"kind": "clock"}], "model": {"name": "owner/vlm"}}, name="test"
    )
    with pytest.raises(RecipeError, match="owner/vlm records no question about pictures"):
        question_of(opened, None)


@pytest.mark.parametrize(
    ("metadata", "question"),
    [
        (f"questions: [{json.dumps(DIGIT)}]", DIGIT),
        ("questions: [5]", None),
        ("questions: no", None),
        ("- no metadata", None),
    ],
)
def test_a_merged_model_has_the_question_of_its_card(tmp_path, metadata, question):
    (tmp_path / "README.md").write_text(f"---\n{metadata}\n---\nwords")
    raw = {"data": [{"kind": "clock"}], "model": {"name": str(tmp_path)}}
    opened = validate(Recipe, raw, name="test")
    if question is None:
        with pytest.raises(RecipeError, match="records no question"):
            question_of(opened, None)
    else:
        assert question_of(opened, None) == question


@pytest.fixture
def photo(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Image.new("RGB", (40, 30), "white").save("photo.jpg")
    return "photo.jpg"


def test_a_picture_s_reading_is_printed_with_its_question_and_belief(photo, capsys):
    listed = ["05:00", "10:08", "12:00"]
    words = [f"eval.belief=[{', '.join(listed)}]", "--belief"]
    assert gnomon("predict", "gnomon-tiny", photo, *words) == 0
    header, row = csv.reader(Path("answers.csv").read_text().splitlines())
    columns = [f"belief.{answer}" for answer in listed]
    assert header == ["file", "answer", "likeliest", "belief", "belief_listed", *columns]
    shares = dict(zip(columns, map(float, row[5:]), strict=True))
    assert sum(shares.values()) == pytest.approx(1, abs=1e-3)
    assert shares[f"belief.{row[2]}"] == max(shares.values()) == float(row[3])
    assert 0 < float(row[4]) <= 1
    said = capsys.readouterr()
    reading, file = said.out.splitlines()
    assert reading.startswith(f"photo.jpg: {row[1]} (likeliest of those listed: {row[2]}, ")
    assert file == f'answers.csv: 1 answer to "{CLOCK}"'
    assert f"asking: {CLOCK}" in said.err


def test_a_picture_s_answer_is_chosen_from_a_grid(photo, capsys):
    words = ["eval.answer=median", "eval.grid=[0, 9.9, 0.1]", "--question", "What does it read?"]
    assert gnomon("predict", "gnomon-tiny", photo, *words) == 0
    header, row = csv.reader(Path("answers.csv").read_text().splitlines())
    assert header == ["file", "answer"]
    assert row[1] in {f"{tenth / 10:.1f}" for tenth in range(100)}


@pytest.mark.parametrize(
    ("columns", "form"),
    [
        ({"kind": "number", "cycle": 10, "within": 0.1},
         Number(Decimal(0), "", Decimal("0.1"), Decimal(10))),
        ({"kind": "number", "unit": "bar", "within": 0.5}, Number(Decimal(0), "bar")),
        ({"kind": "time", "hours": 24}, Time(0, 24)),
        ({"kind": "text", "choices": ["on", "off"]}, Text("on", ("on", "off"))),
        ({"kind": "box"}, Text("?")),
    ],
)  # fmt: skip
def test_pictures_without_labels_have_the_form_of_the_run_s_own(run, columns, form):
    table = {"path": "labels.csv", "columns": {"ask": "What is it?", **columns}}
    recipe = run(data=[{"kind": "clock"}, table])
    assert answer_form(recipe, Path("run")) == form


def test_pictures_have_the_form_of_a_drawn_kind_where_there_are_no_others(run):
    recipe = run(data=[{"kind": "gauge", "options": {"instruments": ["dial"]}}])
    form = answer_form(recipe, Path("run"))
    assert (form.cycle, len(form.possible_answers())) == (10, 100)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--belief"], "eval.belief=true: which answers a picture without a label may have"),
        (["eval.answer=mean"], "list them, as in 'eval.grid=[0, 9.9, 0.1]'"),
        (["eval.answer=mean", "--question", "Is it?", *SERVER], "a server does not tell"),
        (["eval.belief=[1]", "--question", "Is it?", *SERVER], "a server does not tell"),
    ],
)
def test_a_belief_that_cannot_be_had_of_a_picture_is_refused(photo, capsys, words, told):
    assert gnomon("predict", "gnomon-tiny", photo, *words) == 2
    assert told in capsys.readouterr().err
    assert not Path("answers.csv").exists()


def test_a_question_of_what_has_its_own_is_refused(capsys):
    assert gnomon("predict", "gnomon-tiny", "clock", "--question", "Which?") == 2
    assert "only of a picture or a folder of them" in capsys.readouterr().err


def test_listed_answers_are_texts_as_they_are_written():
    """10:30 was 630 and 07 was 7 to YAML 1.1."""
    raw = {"data": [{"kind": "clock"}]}
    opened = validate(Recipe, override(raw, ["eval.belief=[10:30, 07, 5, 0.5, noon]"]), name="test")
    assert opened.eval.belief == ("10:30", "07", "5", "0.5", "noon")
    with pytest.raises(RecipeError, match=r"eval\.seed"):
        validate(Recipe, override(raw, ["eval.seed=010"]), name="test")
