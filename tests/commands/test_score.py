"""gnomon score and compare: answers made elsewhere, as a user gives them."""

import csv
import json
import re
from pathlib import Path

import pytest
from command_toys import finished_run, gnomon
from PIL import Image

from gnomon.dialect import create as create_dialect
from gnomon.generators import create
from gnomon.pipeline import families
from gnomon.pipeline.exporting.export import export
from gnomon.runs.answer_scores import score_run

ROOT = Path(__file__).parents[2]
SUMS = [create("arithmetic", split="test")[i] for i in range(6)]
TRUTHS = [str(sample.target.value) for sample in SUMS]
ALL_RIGHT = [{"id": s.id, "answer": truth} for s, truth in zip(SUMS, TRUTHS, strict=True)]


@pytest.fixture
def here(here):
    """A folder with a recipe that asks six sums."""
    (here / "sums.yaml").write_text("data: [{kind: arithmetic}]\neval: {samples: 6}\n")
    return here


def write(name, rows):
    with open(name, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def scores(cli):
    """Score a file: questions, unread answers, the share that is exactly right, what was said."""

    def score(file, *words, kind="number", data="sums.yaml"):
        said = cli("score", file, "--data", data, *words)
        page = Path(file).with_suffix("")
        (run,) = json.loads(Path(f"{page}-scores.json").read_text("utf-8"))["runs"].values()
        values = {result["name"]: result["estimate"]["value"] for result in run[kind]["results"]}
        return run[kind]["n"], run[kind]["unread"], pytest.approx(values["exact"]), said

    return score


TABLE = (("city", "sales (kg)", "cost"), ("Oslo", "10", "4"), ("Lima", "20", "8"))
AS_TEXT = {
    "bars": "\n".join(map(" | ".join, TABLE)),
    "markdown": "\n".join(f"| {' | '.join(row)} |" for row in (TABLE[0], ["--"] * 3, *TABLE[1:])),
    "linear": "TITLE | Sales <0x0A> " + " <0x0A> ".join(map(" | ".join, TABLE)),
    "csv": "Here it is:\n```csv\n" + "\n".join(map(",".join, TABLE)) + "\n```",
    "html": "<table><tr><td>" + "<tr><td>".join(map("<td>".join, TABLE)) + "</table>",
    "other words": "Place | Sales (kilos) | Cost\nOslo | 10.2 | 4\nLima | 20 | 6",
}


def test_tables_of_another_program_are_scored_in_every_form(here, scores):
    """One in other words has no cell where a name says, and is matched by the names' letters."""
    labels = [{"id": name, "question": "The table?", "answer": AS_TEXT["csv"]} for name in AS_TEXT]
    write("labels.jsonl", labels)
    write("tables.jsonl", [{"id": name, "answer": text} for name, text in AS_TEXT.items()])
    words = ("columns.kind=table", "columns.image=null", "eval.split=all")
    n, unread, exact, _ = scores("tables.jsonl", *words, kind="table", data="labels.jsonl")
    assert (n, unread, exact) == (6, 0, 5 / 6)
    (run,) = json.loads((here / "tables-scores.json").read_text())["runs"].values()
    values = {one["name"]: one["estimate"]["value"] for one in run["table"]["results"]}
    assert values["cells"] == pytest.approx((5 + 1 / 4) / 6)
    assert values["numbers"] == pytest.approx((5 + 3 / 4) / 6)
    # Keys of 12 and 17 letters, six edits apart, and a value that is off by 2 %.
    near = 0.98 * (1 - 4 / 18) + (1 - 4 / 18) + 1
    assert values["rms_precision"] == values["rms_recall"] == values["rms"]
    assert values["rms"] == pytest.approx((5 + near / 4) / 6)


def test_any_file_is_scored_on_a_recipes_questions(here, scores):
    """By gnomon's ids, by lmms-eval's places, in the order of the lines; a report like any."""
    texts = [f"The answer is {truth}." for truth in TRUTHS[:5]] + ["no idea"]
    pairs = list(zip(SUMS, texts, strict=True))
    write("ours.jsonl", [{"id": s.id, "answer": text} for s, text in reversed(pairs)])
    write("log.jsonl", [{"doc_id": i, "filtered_resps": [text]} for i, text in enumerate(texts)])
    (here / "plain.json").write_text(json.dumps(texts))
    for file in ("ours.jsonl", "log.jsonl", "plain.json"):
        *figures, output = scores(file)
        assert figures == [6, 1, 5 / 6]
        assert "Items" in output.out
        note = "names no ids: its answers are taken in the order"
        assert (note in output.err) == (file == "plain.json")
    page = (here / "ours-scores.html").read_text()
    assert "no idea" in page
    assert page.index('</nav>\n<p class="verdict">') < page.index("<table")
    assert page.index("<table") < page.index("How to read this") < page.index("All metrics")
    assert json.loads((here / "plain.json").read_text()) == texts
    # Half an emoji is no reason to stop.
    write("half.jsonl", [{"id": s.id, "text": f"{s.target.value} \ud83d"} for s in SUMS])
    assert scores("half.jsonl")[:3] == (6, 0, 1)


def test_answers_that_are_missing_are_counted_and_said(here, scores):
    write("some.jsonl", [{"id": SUMS[i].id, "text": TRUTHS[i]} for i in range(4)])
    *figures, said = scores("some.jsonl")
    assert figures == [6, 2, 4 / 6]
    note = "some.jsonl answers 4 of 6 questions; the other 2 count as unread. If no more were"
    assert note in said.err
    assert note in (here / "some-scores.html").read_text()
    assert scores("some.jsonl", "eval.samples=4")[:3] == (4, 0, 1)
    write("failed.jsonl", [{"id": s.id, "response": None} for s in SUMS])
    *figures, said = scores("failed.jsonl")
    assert figures == [6, 6, 0]
    assert "failed.jsonl has 6 empty answers; they count as unread." in said.err
    write("a.jsonl", [{"id": i, "answer": t} for i, t in enumerate(TRUTHS, 1)])
    *figures, said = scores("a.jsonl")
    assert figures == [6, 0, 1]
    note = "a.jsonl counts the questions from 1: its id 1 is the first question."
    assert note in said.err
    assert note in (here / "a-scores.html").read_text()


def test_what_lmms_eval_logs_of_an_exported_task_fits_the_kind(here, scores):
    """`doc_id` counts the rows of the task; lmms-eval strips an answer and keeps it as it is."""
    out = export(SUMS, 6, families.create("llama"), "lmms-eval", here / "task")
    rows = [json.loads(line) for line in (out / "data.jsonl").read_text().splitlines()]
    answers = [row["answer"] for row in rows]
    write("log.jsonl", [
        {"doc_id": i, "target": text, "filtered_resps": text.strip()}
        for i, text in enumerate(answers)
    ])  # fmt: skip
    assert scores("log.jsonl", "eval.samples=6", data="arithmetic")[:3] == (6, 0, 1)


LABELS = "Bild;Haus;Wert\r\n0.png;a;10,5\r\n1.png;b;1.250,75\r\n2.png;c;-3\r\n"
ASKED = ("columns.image=Bild", "columns.ask=Wie viel?", "columns.answer=Wert",
         "columns.kind=number", "columns.decimal=comma")  # fmt: skip


@pytest.fixture
def labels(here):
    """A German spreadsheet's export: semicolons, a mark at its beginning, decimal commas."""
    for i in range(3):
        Image.new("RGB", (60, 40), (90 * i, 9, 9)).save(here / f"{i}.png")
    (here / "Messwerte.csv").write_bytes(b"\xef\xbb\xbf" + LABELS.encode())
    return "Messwerte.csv"


def test_a_spreadsheets_answers_to_a_users_own_pictures(labels, here, scores, cli):
    """Every row is asked, whatever split it would train in; pictures are names enough."""
    answers = (
        'Bild;Modell\r\n2.png;"Es sind\r\n-3"\r\n0.png;10,5\r\n1.png;Der Wert ist 1.250,75 kg\r\n'
    )
    (here / "antworten.csv").write_bytes(b"\xef\xbb\xbf" + answers.encode())
    words = ("--id-column", "Bild", *ASKED)
    assert scores("antworten.csv", *words, data=labels)[:3] == (3, 0, 1)
    header, *rows = csv.reader((here / "antworten-scores.csv").read_text().splitlines())
    assert len(set(header)) == len(header)
    assert [row[header.index("truth")] for row in rows] == ["10.5", "1250.75", "-3"]
    page = (here / "antworten-scores.html").read_text()
    assert page.count("data:image/") == 3
    assert "3 questions of Messwerte.csv<" in page  # all of them: no split is named
    assert '"line"' not in page  # where a row stands in the file says nothing of its picture
    other = ("score", "antworten.csv", "--data", labels, *words)
    assert gnomon(*other, "eval.split=val") in (1, 2)  # three rows: some split has none
    answers = "Nr;Modell\n0.png;10,5\n1.png;7\n2.png;-3\n"  # under another name, by the pictures
    (here / "antworten.csv").write_text(answers)
    words = ("antworten.csv", "--id-column", "Nr", *ASKED)
    assert scores(*words, data=labels)[:3] == (3, 0, 2 / 3)
    (here / "antworten.csv").write_text(answers.replace("0.png", "0.jpg"))
    message = "column 'Nr' has '0.jpg' in line 2, while a question is '0.png'"
    assert message in cli("score", *words, "--data", labels, code=1).err


def test_a_picture_is_named_without_its_folder_too(labels, here, scores, cli):
    """As `predict FOLDER` names it, which looks within the folder."""
    (here / "photos").mkdir()
    for picture in here.glob("*.png"):
        picture.rename(here / "photos" / picture.name)
    table = here / labels
    table.write_text(re.sub(r"(\d\.png)", r"photos/\1", table.read_text()))
    (here / "said.csv").write_text("file;answer\n2.png;-3\n0.png;10,5\n1.png;1.250,75 kg\n")
    message = cli("score", "said.csv", "--data", labels, *ASKED, code=1).err
    assert "no column has a usual name for ids: name one of file, answer" in message
    assert scores("said.csv", *ASKED, "--id-column", "file", data=labels)[:3] == (3, 0, 1)


def test_a_benchmarks_own_index_names_its_questions(here, cli):
    """VLMEvalKit's sheets hold the truths beside the answers, and may count from 1."""
    Image.new("RGB", (20, 20)).save(here / "p.png")
    asked = "index\timage_path\tquestion\tanswer\n1\tp.png\tHow many?\t3\n2\tp.png\tAnd now?\t4\n"
    (here / "Count_TEST.tsv").write_text(asked)
    (here / "model.tsv").write_text("index\tanswer\tprediction\n2\t4\tIt is 4.\n1\t3\tfive\n")
    words = ("score", "model.tsv", "--data", "Count_TEST.tsv", "benchmark=vlmevalkit")
    assert "columns answer, prediction all have usual names" in cli(*words, code=1).err
    cli(*words, "--text-column", "prediction")
    rows = csv.DictReader((here / "model-scores.csv").read_text().splitlines())
    assert [row["state"] for row in rows] == ["wrong", "right"]


def test_a_datasets_only_split_is_asked(here, scores, cli):
    cli("generate", "arithmetic", "--n", 4, "--out", "sums", "--workers", 1)
    samples = [create("arithmetic", split="train")[i] for i in range(4)]
    write("a.jsonl", [{"id": s.id, "answer": str(s.target.value)} for s in samples])
    assert scores("a.jsonl", data="sums")[:3] == (4, 0, 1)
    message = cli("score", "a.jsonl", "--data", "sums", "eval.split=test", code=1).err
    assert "sums has no split 'test', only train" in message


def test_a_column_that_names_the_questions_is_not_overlooked(here, scores, cli):
    """In another order than theirs the lines would be given to other questions."""
    for column, ids in (("qid", [s.id for s in SUMS]), ("item", list("012345"))):
        rows = [{column: name, "output": t} for name, t in zip(ids, TRUTHS, strict=True)]
        write("odd.jsonl", rows[::-1])
        message = cli("score", "odd.jsonl", "--data", "sums.yaml", code=1).err
        assert f"usual name for ids: name one of {column}, output with" in message
        assert scores("odd.jsonl", "--id-column", column)[:3] == (6, 0, 1)


def test_answers_to_other_questions_than_the_first_are_never_dropped(labels, here, cli):
    (here / "last.csv").write_text("Bild;Modell\n2.png;-3\n")
    words = ("score", "last.csv", "--data", labels, "--id-column", "Bild", *ASKED)
    note = cli(*words).err
    assert "last.csv answers 1 of 3 questions; the other 2 count as unread." in note
    assert "eval.samples" not in note  # it would ask the first one
    message = cli(*words, "eval.samples=1", code=1).err
    assert "column 'Bild' has '2.png' in line 2, while a question is '0.png'" in message


@pytest.mark.parametrize("table", ["answers", "labels"])
def test_a_comma_outside_quotes_never_shifts_what_stands_behind_it(here, cli, table):
    (here / "labels.csv").write_text('image,question,answer\n0.png,"Hello, what?",5\n')
    (here / "answers.csv").write_text("image,answer\n0.png,5,,\n")  # as spreadsheets end
    Image.new("RGB", (60, 40)).save(here / "0.png")
    words = ("score", "answers.csv", "--data", "labels.csv", "--id-column", "image")
    cli(*words)
    file = here / f"{table}.csv"
    file.write_text(file.read_text().replace('"', "").replace("5,,", "5,6"))
    message = f"{table}.csv: line 2 has more cells than the header has columns: put a text with"
    assert message in cli(*words, code=1).err


def test_files_are_compared_as_runs_are(here, cli):
    """A spreadsheet against a log, by ids and by places; what is missing is said on the page."""
    write("good.jsonl", ALL_RIGHT)
    (here / "poor.csv").write_text("id,answer\n" + "".join(f"{s.id},none\n" for s in SUMS[:5]))
    words = ("compare", "poor.csv", "good.jsonl", "-o", "it.html", "--data", "sums.yaml")
    output = cli(*words)
    assert "better than poor: exactly right 100.0 %" in output.out
    for text in (output.err, (here / "it.html").read_text()):
        assert "poor.csv answers 5 of 6 questions" in text
    runs = json.loads((here / "it.json").read_text())["runs"].values()
    assert [run["number"]["results"][0]["estimate"]["value"] for run in runs] == [0, 1]
    # Of good.jsonl's answers one has no question.
    message = cli(*words, "eval.samples=5", code=1).err
    assert "good.jsonl: 1 of 6 answers have an id that is not among the 5" in message


N, SIZE = 48, (112, 112)


@pytest.fixture(scope="module")
def boxes(tmp_path_factory):
    """All answers are right, in the words of Gemini without its key, and the file says plain."""
    scenes = [{"kind": "scene", "options": {"size": SIZE[0], "level": "easy"}}]
    return finished_run(
        tmp_path_factory.mktemp("boxes") / "run",
        {"data": scenes, "eval": {"samples": N}},
        {"after": lambda s: create_dialect("gemini").write(s.target, SIZE).partition(": ")[2][:-1]},
        size=SIZE,
    )


def test_a_named_space_of_boxes_is_that_of_all_answers(boxes, cli):
    output = cli("score", boxes, "--boxes", "gemini", "--json")
    assert f'"n": {N}' in output.out
    assert "set apart" not in output.err
    assert score_run(boxes, boxes="gemini")[0].scores.estimate("box", "iou").value > 0.98
    assert score_run(boxes)[0].scores.estimate("box", "iou").value < 0.1


def test_a_space_of_boxes_is_found_and_told_with_figures(boxes, cli):
    output = cli("score", boxes, "--boxes", "auto")
    line = output.err.partition("after.jsonl: ")[2].strip()
    assert line.startswith("boxes are read in the space of gemini, which was chosen on 24 of 48")
    assert line in " ".join((ROOT / "docs" / "reading.md").read_text(encoding="utf-8").split())
    assert re.search(r"^Items +24 *$", output.out, re.MULTILINE)
    assert "which was chosen on 24 of 48 answers" in (boxes / "report.html").read_text()
