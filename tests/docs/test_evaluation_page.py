"""The pages on scores are true: their code runs, their figures are what is printed."""

import html
import io
import re
import shlex
from base64 import b64encode
from pathlib import Path

import numpy as np
import pytest
import yaml
from picture_tables import write_rows
from PIL import Image

from gnomon.answers.registry import TYPES
from gnomon.commands import main
from gnomon.commands._parser import parser
from gnomon.dialect import DIALECTS
from gnomon.eval import METRICS, RunResult, Scores, parse_box, parse_number, parse_time
from gnomon.eval.comparing.groups import check_same_exam
from gnomon.eval.stats.intervals import bootstrap
from gnomon.generators import create
from gnomon.recipe import Source
from gnomon.runs.resolve import resolve
from gnomon.sample import Box
from gnomon.store import mixture
from gnomon.store.benchmarks import BENCHMARKS

ROOT = Path(__file__).parents[2]
SCORES, READING, MEASURES, BELIEF, BENCHMARK_FILES = (
    (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
    for name in ("evaluation", "reading", "measures", "belief", "benchmarks")
)
PAGES = "".join((SCORES, READING, MEASURES, BELIEF))
FIGURES = (ROOT / "benchmarks" / "results" / "intervals.txt").read_text(encoding="utf-8")


def section(title, page=SCORES):
    return page.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def named(text, column):
    """What stands in backticks in that column of the tables."""
    rows = [line.split("|")[1:-1] for line in text.splitlines() if line.startswith("|")]
    return {name for row in rows for name in re.findall(r"`(\w+)`", row[column])}


def test_every_kind_and_every_metric_is_on_the_page():
    measured = section("Metrics by type of answer", MEASURES)
    assert named(measured, 0) == set(TYPES)
    assert named(measured, 1) | named(measured, 2) == set(METRICS)


def test_every_dialect_is_on_the_page():
    said = section("predictions.jsonl", MEASURES).partition("how its family writes boxes: ")[2]
    assert set(re.findall(r"`([\w.-]+)`", said.partition(". ")[0])) == set(DIALECTS)


@pytest.mark.parametrize("name", DIALECTS)
def test_every_dialect_writes_what_is_shown(name):
    (row,) = re.findall(
        rf"^\| `{re.escape(name)}` \|[^|]*\|([^|]*)\|",
        section("Dialects of boxes", READING),
        re.MULTILINE,
    )
    shown = html.unescape(re.sub(r"</?code>|`", "", row)).strip()
    assert shown == DIALECTS[name].write(Box(100, 150, 300, 300), (400, 300))


@pytest.mark.parametrize(
    ("said", "shown", "found"),
    [
        ("It is ten past ten, or 10:10.", "10:10", (10, 10, None)),
        ("a quarter to four in the afternoon", "3:45; 15:45", (15, 45, None)),
        ("about 1,250 kg", "1250", 1250),
        ("$3.5 million", "3500000", 3_500_000),
        ("12 %", "12", 12),
        ("3 1/2", "3.5", 3.5),
        ("3,5", "3.5", 3.5),
        ("10:12… no, 10:08", "10:08", (10, 8, None)),
        ("Answer: 42. Confidence: 90 %", "42", 42),
        ("between 10 and 12", "unread", None),
        ("x1=12, y1=34, x2=56, y2=78", "the box 12, 34, 56, 78", (12, 34, 56, 78)),
        ("x=12, y=34, width=44, height=44", "the same", (12, 34, 56, 78)),
        (
            "from (12, 34) in the upper left to (56, 78) in the lower right",
            "the same",
            (12, 34, 56, 78),
        ),
        ("<loc0034><loc0012><loc0078><loc0056>", "the same", (12, 34, 56, 78)),
        ("[12, 34, 56, 78, 0.97]", "the same", (12, 34, 56, 78)),
        ("[1,2,3,4,5,6]", "no box", None),
    ],
)
def test_what_is_said_is_read_so(said, shown, found):
    (row,) = [line for line in READING.splitlines() if said in line]
    assert row.split("|")[2].strip().startswith(shown)
    if isinstance(found, tuple) and len(found) == 3:
        assert parse_time(said) == found
    elif isinstance(found, int | float):
        assert parse_number(said) == found
    elif shown == "unread":
        assert parse_number(said) is found
    else:
        assert parse_box(said) == found


def test_the_python_prints_what_stands_under_it(capsys):
    (code,) = re.findall(r"```python\n(.*?)```", MEASURES, re.DOTALL)
    exec(code, {})
    assert f"```text\n{capsys.readouterr().out.strip()}\n```" in MEASURES


@pytest.mark.parametrize(
    ("row", "statistic"), [("mean", "mean"), ("median", "median"), ("90th percentile", "p90")]
)
def test_too_few_are_as_many_as_it_says(row, statistic):
    enough = int(re.search(rf"^\| a {row} \|.*fewer than (\d+)", MEASURES, re.MULTILINE)[1])
    assert bootstrap(np.arange(enough - 1), statistic).low is None
    assert bootstrap(np.arange(enough), statistic).low is not None


def test_coverage_is_what_the_benchmark_printed():
    command, _, rest = FIGURES.partition("\n")
    assert f"`{command[2:]}`" in " ".join(MEASURES.split())
    assert f"```text\n{rest.partition(chr(10) * 2)[0]}\n```" in MEASURES
    designs = [line.split() for line in FIGURES.splitlines() if line.startswith("       ")]
    shows = {seeds: row[-3] for seeds, *row in designs if row[:2] == ["200", "0.0"]}
    for seeds, said in {
        "2": "{} points with two seeds",
        "5": "{} with five",
        "8": "{} with eight",
    }.items():
        assert said.format(shows[seeds]) in " ".join(SCORES.split())


def test_the_refusal_is_what_is_said():
    less, more = (
        RunResult(name, Scores((), {}), asked={"seed": seed})
        for seed, name in enumerate(("less", "more"))
    )
    with pytest.raises(ValueError, match="cannot be compared") as said:
        check_same_exam([less, more])
    assert f"```text\ngnomon: {said.value}\n```" in SCORES


def test_every_command_is_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (generate, *_) = commands_of("What the training made the model forget")
    assert main([*generate, "--workers", "1"]) == 0
    Path("page.txt").write_text("The licence of the program.")
    shown = "".join(re.findall(r"(?:^    .*\n)+", PAGES, re.MULTILINE)).replace("\\\n", " ")
    commands = re.findall(r"gnomon (?:predict|score|compare|run|export) [^\n;]*", shown)
    assert len(commands) == 13
    for command in commands:
        _, late = parser().parse_known_args(shlex.split(command, comments=True)[1:])
        keys = [one.replace("$seed", "0").replace("$loss", "ce") for one in late]
        if "--data" not in command:  # which are run below
            _ = resolve("demo", keys).recipe  # an unknown key is refused


def commands_of(title):
    shown = "".join(re.findall(r"(?:^    .*\n)+", section(title), re.MULTILINE))
    return [
        shlex.split(line, comments=True)[1:] for line in shown.replace("\\\n", " ").splitlines()
    ]


@pytest.mark.slow
def test_answers_made_elsewhere_are_scored_as_it_says(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "clocks.yaml").write_text("data: [{kind: clock}]\neval: {samples: 2}\n")
    (tmp_path / "a.png").write_bytes(picture())
    (tmp_path / "labels.csv").write_text("file,time\na.png,10:08\n")
    (tmp_path / "answers.csv").write_text("file,answer\na.png,It is ten past ten.\n")
    rows = [{"doc_id": i, "filtered_resps": "1"} for i in range(20)]
    write_rows(Path("samples_gnomon_clocks.jsonl"), rows)
    ids = [create("clock", split="test").id(i) for i in range(2)]
    body = {"choices": [{"message": {"role": "assistant", "content": "1:30"}}]}
    rows = [{"custom_id": sample_id, "response": {"body": body}} for sample_id in ids]
    write_rows(Path("batch.jsonl"), rows)
    *commands, compare = commands_of("Answers made elsewhere")
    assert [main(command) for command in commands] == [0, 0, 0]
    assert compare[0] == "compare"  # of a run with them; see test_foreign_answers
    counts = [line.split()[1] for line in capsys.readouterr().out.splitlines() if "Items" in line]
    assert counts == ["1", "20", "2"]


def picture():
    held = io.BytesIO()
    Image.new("RGB", (84, 84), (9, 90, 200)).save(held, "PNG")
    return held.getvalue()


SHOWN = ("ChartQA/test/png/1.png", "coco/train2014/a.jpg", "ClockBench/images/c.png",
         "TickTockVQA/images/test/b.jpg", "ScaleBench/Images/time-stopwatch-00001.jpg")  # fmt: skip
ROWS = {
    "chartqa": {"imgname": "1.png", "query": "How many?", "label": "14"},
    "refcoco": {"image": "coco/train2014/a.jpg", "sent": "left cow", "bbox": [1, 2, 11, 22]},
    "clockbench": {"image_url": "images/c.png", "question_time": "What time is it?"},
    "ticktockvqa": {"image_path": "test/b.jpg", "hour": 12, "minute": 5},
    "measurebench": {
        "question": "What is the reading?",
        "image": {"bytes": picture(), "path": None},
        "evaluator": "interval_matching",
        "evaluator_kwargs": '{"interval": [1.2, 1.5], "units": ["A"]}',
    },
    "scalebench": {
        "image": "time-stopwatch-00001.jpg",
        "question": "What is the time shown by the stopwatch?",
        "options": ["A.1min 5s", "B.5s"],
        "answer": "A",
    },
    "vlmevalkit": {
        "index": "1",
        "image": b64encode(picture()).decode(),
        "question": "Which?",
        "answer": "3",
    },
    "gsm8k": {"question": "2 + 2?", "answer": "2 + 2 = <<2+2=4>>4\n#### 4"},
}


def write(file, row):
    """A file of one row, in the format that its name says."""
    file.parent.mkdir(parents=True, exist_ok=True)
    write_rows(file, {"c": row} if "image_url" in row else [row])


def test_each_benchmark_is_read_from_the_files_and_columns_that_it_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in SHOWN:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(picture())
    write(tmp_path / "ClockBench/input/answers_sample.json",
          {"image_url": "", "answer_time": {"valid": True, "hours": 3, "minutes": 5}})  # fmt: skip
    page = BENCHMARK_FILES
    (lines,) = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    sources = yaml.safe_load(lines)
    assert {line["benchmark"] for line in sources} == named(page, 0) == set(BENCHMARKS)
    for line in sources:
        row = ROWS[line["benchmark"]]
        write(tmp_path / line["path"], row)
        assert mixture((Source(**line),), split="test", seed=0).length == 1
        (told,) = [text for text in page.splitlines() if f"| `{line['benchmark']}` |" in text]
        assert all(f"`{column}`" in told for column in row)
