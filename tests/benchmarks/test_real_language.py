"""The real language model's join, its plan, and its tables."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image
from torch import nn

from benchmarks.real_language import build, cells, report, sight
from benchmarks.study.photographs import outcomes as outcomes_file
from gnomon import generators
from gnomon.pipeline.families import TINY
from gnomon.pipeline.families.base import encode


@pytest.fixture(scope="module")
def joined() -> tuple[Any, Any, Any]:
    """Join a small random Llama, as SmolLM2 is one, to gnomon-tiny's eyes."""
    from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM

    torch.manual_seed(0)
    tokenizer = AutoTokenizer.from_pretrained(TINY)
    config = LlamaConfig(
        hidden_size=96, intermediate_size=128, num_hidden_layers=3, num_attention_heads=6,
        num_key_value_heads=2, head_dim=16, vocab_size=len(tokenizer), tie_word_embeddings=True,
        rope_parameters={"rope_type": "default", "rope_theta": 50_000.0},
    )  # fmt: skip
    llama = LlamaForCausalLM(config).eval()
    return llama, *build.join(llama, tokenizer)


def test_joined_model_computes_what_its_language_model_does(joined: tuple[Any, Any, Any]) -> None:
    llama, model, _ = joined
    ids = torch.randint(0, 900, (2, 30), generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        expected = llama(input_ids=ids).logits
        found = model(input_ids=ids, attention_mask=torch.ones_like(ids)).logits
    assert expected.std() > 0.01
    assert torch.allclose(found, expected, atol=1e-6)


def test_plain_transformers_opens_the_joined_model(
    joined: tuple[Any, Any, Any], tmp_path: Path
) -> None:
    from transformers import AutoModelForImageTextToText

    _, model, processor = joined
    model.save_pretrained(tmp_path)
    opened = AutoModelForImageTextToText.from_pretrained(tmp_path)
    chat = [{"role": "user", "content": [{"type": "image"}, {"type": "text", "text": "Read it."}]}]
    text = processor.apply_chat_template(chat, tokenize=False, add_generation_prompt=True)
    logits = []
    for colour in ("white", "black"):
        inputs = encode(processor, [text], [Image.new("RGB", (160, 160), colour)], side="left")
        with torch.no_grad():
            logits.append(opened(**inputs).logits[0, -1])
            assert torch.equal(logits[-1], model(**inputs).logits[0, -1])
    assert not torch.allclose(*logits)  # the picture reaches the language model


def test_a_picture_token_is_as_long_as_a_word(joined: tuple[Any, Any, Any]) -> None:
    _, model, processor = joined
    inputs = encode(processor, ["<|vision_start|><|image_pad|><|vision_end|>"],
                    [Image.new("RGB", (112, 112), "gray")], side="left")  # fmt: skip
    with torch.no_grad():
        tokens = model.model.visual(
            inputs["pixel_values"], grid_thw=inputs["image_grid_thw"]
        ).pooler_output
    words = model.get_input_embeddings().weight.norm(dim=1).mean()
    assert 0.3 < tokens.norm(dim=1).mean() / words < 3


def test_plan_has_three_seeds_of_all_losses_and_five_of_three() -> None:
    planned = cells.cells()
    assert len(planned) == len({cell.key for cell in planned}) == 3 + 15 + 6
    by_loss = {cell.name: 0 for cell in planned}
    for cell in planned:
        by_loss[cell.name] += 1
    assert by_loss == {
        "before": 1,
        "before, 16 bits": 1,
        "gnomon-tiny": 1,
        "ce": 5,
        "smmd": 5,
        "ntil-ratio": 5,
        "ntil": 3,
        "crps": 3,
    }


def test_table_has_means_and_differences_from_cross_entropy() -> None:
    rng = np.random.default_rng(0)
    outcomes = {}
    for cell in cells.cells()[:8]:  # three that only answer, and every loss with the first seed
        sources = {
            source: {
                "right": rng.integers(0, 2, 40).tolist(),
                "error": rng.random(40).tolist(),
                "nll": rng.random(40).tolist(),
                "groups": (np.arange(40) % 8).tolist(),
            }
            for source in report.SOURCES
        }
        general = {"right": rng.integers(0, 2, 30).tolist(), "nats": 2.5}
        outcomes[cell.key] = {"key": cell.key, "sources": sources, "general": general}
    text = report.text(outcomes)
    assert text.startswith("8 of 24 runs are finished")
    block = text.split("\n\n")[1].splitlines()
    line = next(line for line in block if line.strip().startswith("smmd, 1 seed"))
    smmd, ce = (outcomes[key]["sources"]["clocks"]["right"] for key in ("smmd-31", "ce-31"))
    assert f"{100 * np.mean(smmd):.1f} [" in line
    assert f"{100 * (np.mean(smmd) - np.mean(ce)):+.1f} [" in line


def test_sight_is_told_what_the_pictures_show() -> None:
    _, truth = sight.draw(range(10))
    sorts = [generators.create(kind, **options) for kind, options in sight.SORTS]
    for index, (hour, minute, tenth) in enumerate(truth):
        target = str(sorts[index % len(sorts)][index].target)
        if np.isnan(tenth):
            assert target.startswith(f"{int(hour) or 12:02}:{int(minute):02}")
        else:
            # The needle's exact share is known to sight, and the answer is cut to tenths.
            assert abs((tenth / 10 - float(target) + 5) % 10 - 5) <= 0.15


@pytest.mark.parametrize(("shift", "is_right"), [(0, True), (1, True), (2, False)])
def test_sight_counts_a_minute_as_right_within_one(shift: int, *, is_right: bool) -> None:
    truth = torch.tensor([[3.0, 59.0, torch.nan], [torch.nan, torch.nan, 40.0]])
    logits = {name: torch.zeros(2, 16, n) for name, n in sight.CLASSES.items()}
    logits["minute"][0, :, (59 + shift) % 60] = 5.0
    logits["tenth"][1, :, 40] = logits["hour"][0, :, 3] = 5.0
    loss, right = sight.loss_of(logits, truth)
    assert {name: hits.tolist() for name, hits in right.items()} == {
        "hour": [True], "minute": [is_right], "tenth": [True],
    }  # fmt: skip
    logits["minute"][0] = 0.0
    logits["minute"][0, :, 59] = 5.0
    best, _ = sight.loss_of(logits, truth)
    assert (best < loss) == (shift > 0)


def test_page_has_the_table_of_the_kept_answers() -> None:
    kept = outcomes_file.read(cells.OUTCOMES)
    assert kept
    assert report.text(kept) in cells.PAGE.read_text(encoding="utf-8")


def test_runs_from_another_model_are_not_mixed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cells, "start_hash", lambda: "new")
    cells.check_start({cells.TINY.key: {"start": "old"}, "ce-31": {"start": "new"}})
    with pytest.raises(ValueError, match="started from another model"):
        cells.check_start({"ce-31": {"start": "old"}})


def test_rounded_weights_stay_as_they_are_in_four_bits() -> None:
    torch.manual_seed(0)
    layers = nn.Sequential(nn.Linear(128, 192), nn.Linear(192, 64))
    before, rounded, again = (
        torch.cat([layer.weight.detach().flatten() for layer in _rounded(layers, times)])
        for times in range(3)
    )
    assert (rounded - before).norm() / before.norm() > 0.05
    assert (again - rounded).norm() / before.norm() < 0.005


def _rounded(layers: nn.Sequential, times: int) -> Any:
    layers = copy.deepcopy(layers)
    for _ in range(times):
        build.round_to_four_bits(layers)
    return layers
