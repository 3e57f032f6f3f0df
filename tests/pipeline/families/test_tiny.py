"""The embedded model: its tower, its tokenizer, and what servers read of it."""

import json
import re
from decimal import Decimal
from pathlib import Path

import pytest
import torch
from transformers import AutoTokenizer, Qwen2VLForConditionalGeneration

import gnomon
from gnomon.generators import Chart, create
from gnomon.pipeline.checkpoint import open_processor
from gnomon.pipeline.families import CHARTS, GAUGES, TINY, tiny
from gnomon.pipeline.families.tiny import SIDE
from gnomon.pipeline.load import load
from gnomon.recipe import Model
from gnomon.runs.answer_file import answer_exam
from gnomon.runs.answer_scores import score_file
from gnomon.runs.exam import Exam
from gnomon.runs.model_arguments import resolve_model

CASES = {"one size": [[1, 8, 8]] * 5, "several": [[1, 8, 8], [1, 4, 8], [1, 4, 8]]}


@pytest.mark.parametrize("grids", CASES.values(), ids=CASES)
def test_its_tower_computes_all_pictures_at_once_as_transformers_does(grids):
    plain = Qwen2VLForConditionalGeneration._from_config(tiny.config(), dtype=torch.float32).eval()
    ours = tiny.blank().eval()
    ours.load_state_dict(plain.state_dict())
    grid = torch.tensor(grids)
    patches = torch.randn(int(grid.prod(1).sum()), 1176)
    outputs = [m.model.visual(patches, grid_thw=grid).pooler_output for m in (ours, plain)]
    assert torch.allclose(*outputs, rtol=1e-4, atol=1e-4)
    for output in outputs:
        output.square().sum().backward()
    towers = (ours.model.visual.parameters(), plain.model.visual.parameters())
    for mine, theirs in zip(*towers, strict=True):
        close = {"rtol": 1e-3, "atol": 1e-3 * theirs.grad.abs().max()}
        assert torch.allclose(mine.grad, theirs.grad, **close)


def test_square_pictures_have_one_size(blank):
    """Or nearly square ones; it is what the eyes were trained on."""
    squares = ((n, n) for n in range(1, 700))
    for size in (*squares, (482, 480), (97, 89), (640, 600), (30, 28)):
        assert blank.family.resized_size(blank.processor, size) == (SIDE, SIDE)


@pytest.mark.parametrize(
    ("size", "seen"),
    [
        ((448, 336), (336, 252)),
        ((1280, 960), (336, 252)),
        ((960, 540), (392, 224)),
        ((1920, 1080), (392, 224)),
        ((224, 224), (280, 280)),
        ((800, 800), (280, 280)),
    ],
)
def test_the_chart_reader_sees_charts_in_the_sizes_that_it_learnt_from(size, seen):
    family, processor = open_processor(Model(name="gnomon-tiny-charts"))
    assert family.name == "gnomon-tiny-charts"
    assert family.resized_size(processor, size) == seen
    assert family.fit_size(tiny.config().vision_config, size, Model()) == seen


def test_the_chart_reader_reads_bars_of_held_out_styles():
    reader = gnomon.load("gnomon-tiny-charts")
    options = {"value_labels": 0.0, "rows": (3, 8), "questions": ("nth", "peak"), "ood": True}
    right = []
    for sample in Chart(split="test", charts=("bar",), **options)[0:24]:
        axis = sample.facts["axis"]
        value = float(reader.read(sample.image, sample.question).value)
        off = abs(value - float(sample.target.value))
        right.append(off <= 0.05 * (axis["high"] - axis["low"]))
    assert sum(right) >= 15


def test_the_gauge_reader_finds_dial_indicators_and_reads_the_place_in_the_turn():
    reader = gnomon.load("gnomon-tiny-gauges")
    assert reader.finder is not None
    drawn = create("face", description="dial_indicator", look="photo", size=320, split="test")
    right = []
    for sample in drawn[0:24]:
        answer = reader.read(sample.image, "What does the dial indicator read? Answer in mm.")
        off = float(answer.value.value - Decimal(sample.facts["value"])) if answer.value else 0.5
        right.append(abs((off + 0.5) % 1 - 0.5) <= 0.02)
    assert sum(right) >= 14


@pytest.mark.parametrize("folder", [TINY, "checkpoint"])
def test_a_server_reads_the_answer_and_nothing_beside_it(blank, checkpoint, folder):
    """transformers serve parses answers by the tokenizer's template, else by that of Qwen2-VL."""
    tokenizer = AutoTokenizer.from_pretrained(checkpoint if folder == "checkpoint" else folder)
    prompt = blank.family.prompt(blank.processor, "Time?", n_images=1)
    for text in ("10:08<|im_end|>", "10:08"):
        message = tokenizer.parse_response(text, prefix=prompt)
        assert message == {"role": "assistant", "content": "10:08"}


def test_transformers_opens_it_as_its_page_says():
    page = (TINY / "README.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    exec(code, names := {})
    model, loaded = names["model"], load(Model(load_in_4bit=False, dtype="float32"))
    assert model.dtype == torch.float32
    weights = loaded.model.state_dict()
    assert all(torch.equal(w, weights[name]) for name, w in model.state_dict().items())
    assert str(names["processor"]) == str(loaded.processor)
    assert Qwen2VLForConditionalGeneration.from_pretrained(TINY).dtype == torch.bfloat16


def test_the_package_holds_the_processor_that_is_saved(tmp_path):
    load(Model(load_in_4bit=False, dtype="float32")).processor.save_pretrained(tmp_path)
    for file in ("processor_config.json", "tokenizer_config.json"):
        saved, packed = (json.loads((place / file).read_text()) for place in (tmp_path, TINY))
        assert saved | packed == saved


def test_every_digit_is_a_token_and_no_letter_is_lost(blank):
    tokenizer = blank.processor.tokenizer
    for text in ("1234", "10:08", "-12.50 km", "(12,345),(678,900)", "What time is it?", "12 × 34",
                 "10:08 ist spät, 5 ³½ ١", ""):  # fmt: skip
        ids = tokenizer.encode(text, add_special_tokens=False)
        pieces = tokenizer.convert_ids_to_tokens(ids)
        digits = [piece for piece in pieces if any(c in "0123456789" for c in piece)]
        assert digits == [c for c in text if c in "0123456789"]
        assert tokenizer.decode(ids) == text


ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("page", "linked", "least"),
    [
        (TINY / "README.md", {"photographs.txt", "tiny.txt", "transfer_tiny.txt", "wild.txt"}, 16),
        (ROOT / "docs" / "howto" / "photographs.md", {"photographs.txt"}, 11),
        (CHARTS / "README.md", {"charts.txt", "transfer_chart_reader.txt"}, 7),
        (ROOT / "docs" / "howto" / "charts.md", {"charts.txt"}, 7),
        (
            ROOT / "docs" / "howto" / "find.md",
            {"find.txt", "gauges.txt", "telephone.txt", "wild.txt"},
            8,
        ),
        (GAUGES / "README.md", {"gauges.txt"}, 7),
    ],
    ids=["card", "photographs", "chart card", "charts", "find", "gauge card"],
)
def test_the_figures_of_a_page_are_those_of_the_results(page, linked, least):
    text = page.read_text(encoding="utf-8")
    assert set(re.findall(r"benchmarks/results/(\w+\.txt)", text)) == linked
    # Tables of some results print the unit once, others behind each figure.
    files = [ROOT / "benchmarks" / "results" / name for name in linked]
    results = " ".join(file.read_text(encoding="utf-8") for file in files).replace(" %", "")
    rows = [line for line in text.splitlines() if line.startswith("|") and "[" in line]
    assert len(rows) >= least
    for row in rows:
        for figure in re.findall(r"[\d.]+(?: %)? \[[\d., ]+\]", row):
            assert figure.replace(" %", "") in results, row


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "options", "least"),
    [
        ("clock", [], 0.82),
        ("clock", ["look=photo"], 0.70),
        ("gauge", ["instruments=[dial]", "look=photo"], 0.50),
        ("counter", ["questions=[wheel]", "look=photo"], 0.48),
    ],
)
def test_it_reads_what_its_card_says(tmp_path, kind, options, least):
    """Bounds lie three standard errors of 150 questions below the card's figures."""
    settings = ["model.load_in_4bit=false", "eval.max_new_tokens=12", "eval.samples=150"]
    recipe = resolve_model("gnomon-tiny", kind, [*options, *settings]).recipe
    answers = answer_exam(recipe, Exam.of(recipe), tmp_path / "answers.jsonl")
    (summary,) = score_file(answers).scores.summaries.values()
    labels = ("Within 1 minute", "Right as far as the scale can be read")
    (right,) = (result for result in summary.results if result.label in labels)
    assert right.estimate.value > least
