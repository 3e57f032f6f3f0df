"""`predict` resumes: a stored answer is never written for another picture, model or question."""

import csv
import json
import os
import shutil
from pathlib import Path

import pytest
from PIL import Image
from safetensors.torch import load_file, save_file

from gnomon.eval.scoring import predictions
from gnomon.pipeline import families
from gnomon.pipeline.answering import local

N = 12
SUFFIXES = {"folder": ".csv", "table": ".jsonl"}
READ, OTHER = "What does it read?", "Is it on?"
ALIKE = ("eval.batch_size=4", "model.family=gnomon-tiny")


@pytest.fixture
def model(here, monkeypatch):
    """A model in the folder mm: its answer is the picture's red plus a number in its weights."""
    # With its recipe the folder would be a run.
    shutil.copytree(families.TINY, here / "mm", ignore=shutil.ignore_patterns("recipe.yaml"))
    add_to_weights(0)

    def answers(loaded, samples, **_):
        bias = round(loaded.model.get_input_embeddings().weight[0, 0].item())
        return [
            str(s.image.getpixel((0, 0))[0] + bias + 100 * (s.question != READ)) for s in samples
        ]

    monkeypatch.setattr(local, "generate_texts", answers)
    return "mm"


def add_to_weights(number):
    """Replace the file of weights by one of the same size, whose answers are larger by a number."""
    file = Path("mm/model.safetensors")
    weights = load_file(families.TINY / file.name)
    name = next(name for name in weights if name.endswith("embed_tokens.weight"))
    weights[name][0, 0] = number
    save_file(weights, file, metadata={"format": "pt"})


def add_comment(name, text):
    """Append a text that changes nothing but the file."""
    with Path("mm", name).open("a") as file:
        file.write(text)


def draw(folder, first=0, suffix="bmp"):
    """Draw N pictures, all of the same number of bytes; the n-th has the red first + n."""
    Path(folder).mkdir(exist_ok=True)
    for n in range(N):
        Image.new("RGB", (28, 28), (first + n, 0, 0)).save(Path(folder, f"{n:02}.{suffix}"))


def write_labels(order=range(N)):
    lines = [f"pictures/{n:02}.bmp,{n}" for n in order]
    Path("labels.csv").write_text("\n".join(["image,answer", *lines]))


def replace_pictures():
    draw("pictures", first=40)


def swap_two():
    """Swap two files of equal size by their names, so that the times stay as they were."""
    os.utime("pictures/00.bmp", (1e9, 1e9))
    os.utime("pictures/01.bmp", (1e9, 1e9))
    for old, new in (("00", "spare"), ("01", "00"), ("spare", "01")):
        os.rename(f"pictures/{old}.bmp", f"pictures/{new}.bmp")


CHANGES = {
    "nothing": lambda: None,
    "folder": lambda: draw("others", first=40),
    "pictures": replace_pictures,
    "swapped": swap_two,
    "gone": lambda: os.remove("pictures/00.bmp"),
    "broken": lambda: Path("pictures/00.bmp").write_bytes(b"no picture"),
    "weights": lambda: add_to_weights(7),
    "template": lambda: add_comment("chat_template.jinja", "{# other #}"),
    "tokenizer": lambda: add_comment("tokenizer.json", "\n"),
    "question": lambda: None,
    "rows": lambda: write_labels(reversed(range(N))),
}
AGAIN = "{} of 8 answers are about other pictures: asking again"
# The data, what changes before the second start, and what that start says. A refusal has its exit
# code; the others ask again.
CASES = [
    ("folder", "nothing", "", 0),
    ("folder", "folder", AGAIN.format(8), 0),
    ("folder", "pictures", AGAIN.format(8), 0),
    ("folder", "swapped", AGAIN.format(2), 0),
    ("folder", "gone", AGAIN.format(1), 0),
    ("folder", "broken", AGAIN.format(1), 0),
    ("folder", "weights", "was answered with {'weights': ", 1),
    ("folder", "template", "was answered with {'weights': ", 1),
    ("folder", "question", "was asked 'What does it read?', not 'Is it on?'", 1),
    ("table", "nothing", "", 0),
    ("table", "pictures", "other samples (labels.csv line 2 has another picture; ", 2),
    ("table", "swapped", "other samples (labels.csv line 2 has another picture; ", 2),
    ("table", "weights", "was answered with {'weights': ", 1),
    ("table", "tokenizer", "was answered with {'weights': ", 1),
    ("table", "question", f"labels.csv line 2 asked '{READ}', and now '{OTHER}'", 2),
    ("table", "rows", "labels.csv line 2 had the label 0, and now 11", 2),
]


def rows_of(out):
    """The answers in a file, by picture or by line."""
    if out.suffix == ".csv":
        return {row["file"]: row["answer"] for row in csv.DictReader(out.read_text().splitlines())}
    rows = map(json.loads, out.read_text().splitlines())
    return {row["sample_id"]: row["text"] for row in rows}


@pytest.mark.parametrize("is_stopped", [True, False], ids=["after Ctrl-C", "after its end"])
@pytest.mark.parametrize(("data", "change", "message", "code"), CASES)
def test_no_answer_is_written_for_another_picture(
    model, cli, monkeypatch, data, change, message, code, is_stopped
):
    draw("pictures")
    write_labels()
    out, fresh = (Path(name).with_suffix(SUFFIXES[data]) for name in ("answers", "fresh"))
    append, n_batches = predictions.append, []

    def interrupted(path, batch):
        append(path, batch)
        n_batches.append(1)
        if is_stopped and len(n_batches) == 2:
            raise KeyboardInterrupt

    def ask(place, *, folder="pictures", question=READ, code=0):
        words = [folder, "--question", question]
        if data == "table":
            words = ["labels.csv", "columns.kind=number", f"columns.ask={question}"]
        return cli("predict", model, *words, *ALIKE, "--out", place, code=code).err

    with monkeypatch.context() as patch:
        patch.setattr(predictions, "append", interrupted)
        ask(out, code=130 if is_stopped else 0)
    CHANGES[change]()
    options = {"folder": {"folder": "others"}, "question": {"question": OTHER}}.get(change, {})
    ask(fresh, **options)
    if data == "folder" and not is_stopped:
        message, code = "", 0  # a table of answers that is whole is written anew
    before = out.read_bytes() if out.exists() else b""
    assert message in ask(out, **options, code=code)
    if code:
        assert before == (out.read_bytes() if out.exists() else b"")
    else:
        assert rows_of(out) == rows_of(fresh)
        assert len(rows_of(out)) == N - (change in ("gone", "broken"))


RELABELLED = "image,answer\n" + "".join(f"pictures/{n:02}.bmp,{n + 1}\n" for n in range(N))


@pytest.mark.parametrize(
    ("change", "question", "message", "right"),
    [
        (lambda: None, READ, "", N),
        (lambda: Path("labels.csv").write_text(RELABELLED), READ, "", 0),  # as if corrected
        (CHANGES["rows"], READ, "labels.csv-0000013 was asked about another picture", None),
        (replace_pictures, READ, "labels.csv-0000013 was asked about another picture", None),
        (swap_two, READ, "labels.csv-0000003 was asked about another picture", None),
        (lambda: None, OTHER, f"was asked '{READ}', not '{OTHER}'", None),
        (lambda: os.remove("answers.asked.jsonl"), READ, "", N),
        (lambda: os.remove("answers.asked.jsonl"), OTHER, "its samples are others", None),
    ],
)
def test_own_answers_are_scored_on_their_own_questions(
    model, cli, change, question, message, right
):
    """Another table of the same name gave 0.0 % without a word."""
    draw("pictures")
    write_labels()
    table = ("labels.csv", "columns.kind=number")
    cli("predict", model, *table, f"columns.ask={READ}", *ALIKE, "--out", "answers.jsonl")
    change()
    words = ("score", "answers.jsonl", "--data", *table, f"columns.ask={question}", "--json")
    output = cli(*words, code=0 if right is not None else 2)
    assert message in output.err
    if right is not None:
        (run,) = json.loads(output.out)["runs"].values()
        exact = next(r for r in run["number"]["results"] if r["name"] == "exact")
        assert exact["estimate"]["value"] == right / N
