"""What the site's own pages show runs, in the order in which it stands there.

Pictures are made for the tables that a page shows. The quick test stops at the first command that
trains, and opens the recipes of those; the long one runs all, on the embedded model and in small.
"""

from __future__ import annotations

import csv
import inspect
import io
import json
import re
import runpy
import shlex
import shutil
import subprocess
import sys
import warnings
from contextlib import redirect_stdout
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from command_toys import gnomon
from PIL import Image
from reply_server import answer, reply_server

import gnomon as package
from gnomon import names
from gnomon.commands._parser import parser
from gnomon.eval.scoring.metrics import greater_is_better
from gnomon.generators import KINDS, create
from gnomon.generators.rng import Rng
from gnomon.runs.resolve import resolve

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = {
    page.stem: page
    for page in (
        *map(DOCS.joinpath, ("start.md", "splits.md", "serving.md", "reward.md")),
        *(DOCS / "howto").glob("*.md"),
    )
    if page.stem != "python"  # test_python_page.py runs its code
}
TABLES = dict.fromkeys(("find", "meters", "photographs"), "photos/labels.csv")
SMALL = [
    *("model.name=gnomon-tiny", "train.samples=8", "train.max_steps=1", "train.save_steps=1"),
    *("train.per_device_train_batch_size=4", "eval.samples=4", "eval.max_new_tokens=8"),
]
ELSEWHERE = {
    "gnomon selftest": "test_selftest.py",
    "python -m shtab": "test_schema.py",
    "python -m pip install shtab": "pyproject.toml has it",
    "vllm serve": "a server of the test's own stands in",
}
TRAIN = ("run", "train")


def blocks(page):
    """Language, title and text of each."""
    fenced = re.compile(r'^```(\w+)(?: title="(.*?)")?\n(.*?)^```', re.DOTALL | re.MULTILINE)
    return fenced.findall(PAGES[page].read_text())


def lay_out(page, text):
    """The table of a page, longer, with a picture for each row."""
    file = Path(TABLES.get(page, "labels.csv"))
    head, *rows = csv.reader(io.StringIO(text))
    file.parent.mkdir(exist_ok=True)
    with file.open("w", newline="") as opened:
        table = csv.writer(opened)
        table.writerow(head)
        for n in range(20):
            for name, *rest in rows:
                picture = file.parent / f"{n}-{name.replace('/', '-')}"
                Image.new("RGB", (96, 128), (200, 190, n)).save(picture)
                if head[-1] in ("house", "site"):
                    rest = [*rest[:-1], f"{rest[-1]} {n}"]
                table.writerow([picture.name, *rest])


def write(page, language, title, text):
    """A file that a page shows, called as its title or its first line says."""
    if language == "csv" and not title:
        lay_out(page, text)
    elif title:
        for name in re.findall(r"^[\w.-]+\.jpg(?=,)", text, re.MULTILINE):
            Image.new("RGB", (96, 128), (200, 190, ord(name[0]))).save(name)
        Path(title).write_text(text)
    elif (first := text.partition("\n")[0]).startswith("# data and eval, of "):
        file = Path(first.removeprefix("# data and eval, of "))
        file.write_text(yaml.safe_dump(yaml.safe_load(file.read_text()) | yaml.safe_load(text)))
        _ = resolve(file).recipe
    elif named := re.fullmatch(r"# ([\w.-]+\.\w+)", first):
        Path(named[1]).write_text(text)
    else:
        Path("shown.yaml").write_text(text)
        _ = resolve("shown.yaml").recipe


def ran(words):
    """A command's exit code; what it prints goes to the file behind >."""
    to = None
    if ">" in words:
        words, to = words[: words.index(">")], words[-1]
    if words[0] in TRAIN:
        words = [*words, *SMALL]
    if words[0] == "predict" and words[1].startswith("Qwen/"):
        words = ["predict", "gnomon-tiny", *words[2:], "eval.samples=4", "eval.max_new_tokens=8"]
    if words[0] in ("run", "generate"):
        words = [*words, "--workers", "1"]
    with redirect_stdout(io.StringIO()) as said, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        code = gnomon(*words)
    if to:
        Path(to).write_text(said.getvalue())
    return code


def opened(words):
    """A command as it would be taken; its recipe, too, where it trains."""
    given, late = parser().parse_known_args(words)  # it takes no positionals after an option
    assert all("=" in word for word in late)
    if words[0] in TRAIN:
        _ = resolve(given.recipe, [*given.overrides, *late]).recipe


def commands(text):
    for line in text.splitlines():
        if not any(line.startswith(start) for start in ELSEWHERE):
            yield line


def play(page, *, whole):
    trains = False
    for language, title, text in blocks(page):
        if language not in ("bash", "sh"):
            if (language, title) != ("text", ""):  # what a command printed
                write(page, language, title, text)
            continue
        for line in commands(text):
            launched = line.partition(" -m gnomon ")
            words = shlex.split(launched[2] or line.removeprefix("gnomon "))
            assert launched[2] or line.startswith("gnomon "), line
            if launched[2]:
                assert (ROOT / shlex.split(launched[0])[-1]).is_file()
            trains = trains or words[0] in (*TRAIN, "merge")
            if trains and not whole:
                opened(words)
            else:
                assert ran(words) == 0, line


@pytest.fixture
def user_kinds(monkeypatch):
    """Forget the kinds that a page's own code enters, and its modules."""
    registered = dict(KINDS)
    monkeypatch.setattr(names, "_ALLOWED", set())
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield
    KINDS.clear()
    KINDS.update(registered)
    for title in ("dice", "table_dice"):
        sys.modules.pop(title, None)


@pytest.fixture
def folder(tmp_path, monkeypatch, user_kinds):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    return tmp_path


def draw_hall():
    """A clock that is a small part of hall.jpg, alone and in the folder photos."""
    hall = Image.new("RGB", (640, 480), (150, 140, 120))
    clock = create("clock", size=160, rotation=0.0, perspective=0.0)[0].image
    hall.paste(clock, (380, 90))
    Path("photos").mkdir()
    for file in ("hall.jpg", "photos/hall.jpg"):
        hall.save(file)


@pytest.mark.slow
@pytest.mark.parametrize("page", sorted(PAGES))
def test_what_a_page_shows_runs(page, folder):
    if page in ("serving", "gpus"):
        gnomon("cp", "day-clock", "clocks.yaml")
    if page == "find":
        draw_hall()
    play(page, whole=False)


@pytest.mark.slow
def test_two_lines_of_python_find_and_read_a_clock(folder, capsys):
    draw_hall()
    scope = {"gnomon": package}
    shown = [text for language, _, text in blocks("find") if language == "python"]
    for text in shown:
        exec(text, scope)
    answer = scope["answer"]
    assert shown[0].count("\n") == 2
    assert not answer.refused
    x1, y1, x2, y2 = answer.box
    assert 420 < (x1 + x2) / 2 < 500
    assert 120 < (y1 + y2) / 2 < 220
    assert 80 < x2 - x1 < 200
    assert f"{answer.value} {answer.box}" in capsys.readouterr().out


def test_the_tank_gauge_of_the_page_is_drawn_as_it_was_measured(folder):
    """In the photographs, 200 l to 1450 l take 250 degrees of the dial."""
    texts = {title: text for _, title, text in blocks("instrument") if title}
    Path("tank.yaml").write_text(texts["tank.yaml"])
    assert (DOCS / "howto" / "tank.png").stat().st_size < 250_000
    middle = 0
    for sample in create("face", description="tank.yaml", look="photo")[0:6]:
        hand = sample.facts["parts"]["hand"]
        assert abs(float(sample.target.value) - hand["number"]) <= 5
        assert "tank" in sample.question
        if 200 < hand["number"] < 1450:
            middle += 1
            turned = (hand["degrees"] - 224) % 360  # clockwise from 200 l
            assert turned == pytest.approx(0.2 * (hand["number"] - 200), abs=0.2)
    assert middle > 2


def test_annotations_of_coco_become_labels(folder, capsys):
    """With the first picture of val2017, and two of its classes, one of them twice."""
    page = PAGES["boxes"].read_text()
    (script,) = [text for _, title, text in blocks("boxes") if title == "from_coco.py"]
    one = {"image_id": 397133, "iscrowd": 0, "segmentation": []}
    annotations = [
        one | {"id": 200887, "category_id": 1, "bbox": [388.66, 69.92, 109.41, 277.62]},
        one | {"id": 82445, "category_id": 44, "bbox": [217.62, 240.54, 38.99, 57.75]},
        one | {"id": 1218137, "category_id": 44, "bbox": [1.0, 240.24, 346.63, 186.76]},
    ]
    Path("annotations.json").write_text(json.dumps({
        "images": [{"id": 397133, "file_name": "000000397133.jpg", "width": 640, "height": 427}],
        "categories": [{"id": 1, "name": "person"}, {"id": 44, "name": "bottle"}],
        "annotations": annotations,
    }))  # fmt: skip
    Image.new("RGB", (640, 427), "white").save("000000397133.jpg")
    assert gnomon("preview", "annotations.json", "-o", "x.png") == 1
    assert "set columns.question (or columns.ask)" in capsys.readouterr().err
    preview, several = re.findall(r"^ +gnomon (preview (?:annot|sev).*)$", page, re.M)[::-1]
    assert gnomon(*shlex.split(preview)) == 0
    Path("several.jsonl").write_text(
        next(text for _, title, text in blocks("boxes") if title == "several.jsonl")
    )
    for name in "abc":
        Image.new("RGB", (96, 128), "white").save(f"{name}.jpg")
    assert gnomon(*shlex.split(several)) == 0
    Path("from_coco.py").write_text(script)
    runpy.run_path("from_coco.py")
    (command,) = re.findall(r"^ +gnomon (preview coco.*)$", page, re.M)
    assert gnomon(*shlex.split(command)) == 0
    form = [word for word in shlex.split(command) if "=" in word]
    words = ["export", "coco.csv", "--to", "messages", "--family", "qwen2.5-vl", "--out", "to"]
    assert gnomon(*words, *form) == 0
    (row,) = Path("to/data.jsonl").read_text().splitlines()
    asked, said = (message["content"][-1]["text"] for message in json.loads(row)["messages"])
    assert asked == "Where is the person?"
    wide, high = 644 / 640, 420 / 427  # Qwen2.5-VL sees multiples of 28 pixels
    truth = [388.66 * wide, 69.92 * high, (388.66 + 109.41) * wide, (69.92 + 277.62) * high]
    assert json.loads(said)["bbox_2d"] == [round(number) for number in truth]


def test_the_patterns_and_the_request_of_a_guided_answer_are_as_shown(folder, monkeypatch, capsys):
    (shown,) = [text for language, _, text in blocks("guided") if language == "bash"]
    for line in shown.splitlines():
        assert gnomon(*shlex.split(line)[1:]) == 0
        assert f"\n    {capsys.readouterr().out.strip()}\n" in PAGES["guided"].read_text()
    (script,) = [text for _, title, text in blocks("guided") if title == "guided.py"]
    Image.new("RGB", (8, 8)).save("clock.png")
    bodies = []

    def reply(request):
        bodies.append(request)
        return answer("10:08")

    with reply_server(reply) as server:
        Path("guided.py").write_text(script.replace("http://localhost:8000/v1", server.url))
        monkeypatch.setattr("sys.argv", ["guided.py", "[0-9]+", "clock.png", "What time is it?"])
        runpy.run_path("guided.py")
    assert capsys.readouterr().out == "10:08\n"
    assert bodies[0]["structured_outputs"] == {"regex": "[0-9]+"}
    assert bodies[0]["messages"][0]["content"][1]["text"] == "What time is it?"


def test_a_converted_model_is_checked_by_commands_that_there_are():
    for page in ("convert", "serving"):
        shown = re.findall(r"^    gnomon (check-served .*)$", PAGES[page].read_text(), re.M)
        assert shown
        for command in shown:
            options, late = parser().parse_known_args(shlex.split(command))
            assert (options.verb, late) == ("check-served", [])
    pixels, tokens = re.search(
        r"max_pixels: (\d+)` is `--image-max-tokens (\d+)`", PAGES["convert"].read_text()
    ).groups()
    assert int(pixels) == 28 * 28 * int(tokens)


def test_the_figures_that_may_choose_a_checkpoint_are_named_as_they_are():
    named = re.findall(r"`(\w+_(?:exact|deviation|iou))`", PAGES["best"].read_text())
    assert len(set(named)) == 5  # one of them as the log has it
    assert all(greater_is_better(name.removeprefix("eval_")) is not None for name in named)


def test_the_random_draws_are_those_of_the_class():
    rows = []
    for name, method in vars(Rng).items():
        if not name.startswith("_") and inspect.isfunction(method):
            _, *parameters = inspect.signature(method).parameters
            rows.append(f"| `{name}({', '.join(parameters)})` | {inspect.getdoc(method)} |\n")
    head = "| method | what it does |\n|---|---|\n"
    assert f"{head}{''.join(rows)}\n" in PAGES["kind"].read_text()


@pytest.mark.slow
def test_a_kind_is_tested_outside_the_repository_as_its_page_shows(folder):
    for _, title, text in (*blocks("kind"), *blocks("kind_test")):
        if title.endswith(".py"):
            Path(title).write_text(text)
    page = PAGES["kind_test"].read_text()
    (contract,) = re.findall(r"^    python (-m pytest .*)$", page, re.M)
    for words, passed in (("-m pytest test_dice.py", 11), (contract, 9)):
        words = shlex.split(words.replace("CLONE", str(ROOT)))
        run = subprocess.run(
            [sys.executable, *words, "-q", "-p", "no:cacheprovider"],
            env={"PYTHONPATH": str(ROOT), "PATH": "", "OMP_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
        )
        assert run.returncode == 0, run.stdout[-3000:]
        assert f"{passed} passed" in run.stdout


def test_leading_zeros_are_written_as_the_table_has_them(folder, capsys):
    page = PAGES["kind"].read_text()
    (table,) = [text for _, title, text in blocks("kind") if title == "readings.csv"]
    Path("readings.csv").write_text(table)
    for shade, name in enumerate(("a.png", "b.png")):
        Image.new("RGB", (8, 8), (shade, 0, 0)).save(name)
    (command,) = re.findall(r"^ +gnomon (export readings.*) columns.digits=5$", page, re.M)
    cases = re.findall(r"^\| (?:`(.*)`|not set) \| `(\d+)` \|", page, re.M)
    assert len(cases) == 4
    for setting, written in cases:
        words = [f"columns.digits={setting}"] if setting else []
        assert gnomon(*shlex.split(command), *words) == 0
        assert ("begin with a zero" in capsys.readouterr().err) == (not setting)
        first, _ = Path("rows/data.jsonl").read_text().splitlines()
        assert json.loads(first)["messages"][1]["content"][0]["text"] == written
        shutil.rmtree("rows")


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
@pytest.mark.parametrize(
    "page", ["boxes", "charts", "compare", "gpus", "meters", "reward", "serving", "start"]
)
def test_a_page_runs_to_its_end(page, folder, monkeypatch):
    with reply_server(answer("10:08")) as server:
        shown, url = blocks(page), server.url
        local = [(*about, text.replace("http://localhost:8000/v1", url)) for *about, text in shown]
        monkeypatch.setitem(globals(), "blocks", lambda _: local)
        if page in ("serving", "gpus"):
            gnomon("cp", "day-clock", "clocks.yaml")
        if page == "serving":
            assert ran(["run", "clocks.yaml", "--out", "runs/clocks"]) == 0
        play(page, whole=True)


SITE = runpy.run_path(str(DOCS / "hooks.py"))


def test_every_link_of_every_page_ends_somewhere():
    made = {place: text for place, text in SITE["pages"]().items() if place.endswith(".md")}
    own = {str(page.relative_to(DOCS)): page.read_text() for page in DOCS.rglob("*.md")}
    assert not made.keys() & own.keys()
    for place, text in (made | own).items():
        for to in re.findall(r"\]\(([^)#:\s]+)(?:#[^)\s]*)?\)", SITE["linked"](text, place)):
            found = str((DOCS / place).parent.joinpath(to).resolve().relative_to(DOCS))
            known = found in made or found == "recipe.schema.json" or (DOCS / found).is_file()
            assert known, (place, to)


def test_every_link_to_a_heading_has_its_heading():
    headings = {}
    for page in (*DOCS.rglob("*.md"), ROOT / "README.md"):
        titles = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
        plain = [re.sub(r"[^\w\s-]", "", title.lower()) for title in titles]
        headings[page] = {re.sub(r"\s+", "-", title) for title in plain}
    for page in headings:
        for to, heading in re.findall(r"\]\(([\w./-]*)#([\w-]+)\)", page.read_text()):
            assert heading in headings[(page.parent / to).resolve() if to else page], (page, to)


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=lambda page: page.stem)
def test_a_page_is_short_enough_to_be_read(page):
    assert page.read_text().count("\n") <= 250


def test_every_page_is_in_the_navigation_and_nothing_else():
    site = yaml.safe_load((ROOT / "mkdocs.yml").read_text())
    named = re.findall(r"'([\w./-]+\.md)'", str(site["nav"]))
    own = {str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")}
    assert set(named) == own | {place for place in SITE["pages"]() if place.endswith(".md")}


def test_a_page_that_loads_from_elsewhere_is_refused():
    page = SimpleNamespace(file=SimpleNamespace(src_uri="x.md"))
    SITE["on_post_page"]('<a href="https://example.org">there</a><img src="a.png">', page=page)
    for bad in ('<script src="https://a/b.js">', "<link rel=x href=//fonts/a.css>"):
        with pytest.raises(ValueError, match=r"x\.md loads from elsewhere"):
            SITE["on_post_page"](bad, page=page)
