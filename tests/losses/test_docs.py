"""docs/losses.md says what is so: its code runs, and its figures are what is printed."""

import re
import runpy
from pathlib import Path

import pytest
import torch
from datasets import Dataset
from toy_tokenizers import qwen2
from transformers import Qwen2Config, Qwen2ForCausalLM

from gnomon.losses import KINDS

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "losses.md").read_text(encoding="utf-8")
CODE = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def given(tmp_path, monkeypatch):
    """What the page takes for granted: a model, its tokenizer, and sums to learn."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    tokenizer = qwen2()
    tokenizer.add_special_tokens({"pad_token": "<pad>", "eos_token": "<eos>"})
    model = Qwen2ForCausalLM(
        Qwen2Config(
            vocab_size=len(tokenizer) + 7,
            hidden_size=16,
            intermediate_size=16,
            num_hidden_layers=1,
            num_attention_heads=2,
            num_key_value_heads=1,
        )
    )
    sums = [{"prompt": f"{n}+{n}=", "completion": f"{2 * n}"} for n in range(10, 18)]
    rows = []
    for row in sums:
        prompt, answer = (tokenizer.encode(row[part]) for part in ("prompt", "completion"))
        rows.append({"input_ids": prompt + answer, "labels": [-100] * len(prompt) + answer})
    batch = {name: torch.tensor([row[name] for row in rows]) for name in rows[0]}
    return {
        "model": model,
        "tokenizer": tokenizer,
        "batches": [batch, batch],
        "batch": batch,
        "rows": rows,
        "sums": Dataset.from_list(sums),
        "optimizer": torch.optim.SGD(model.parameters(), lr=0.1),
    }


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of libraries that these few lines do not silence
def test_the_code_runs_and_trains(given):
    assert len(CODE) == 6
    for code in CODE:
        before = {name: w.clone() for name, w in given["model"].named_parameters()}
        exec(code, given)
        if "backward" in code or "train()" in code:
            weights = given["model"].named_parameters()
            assert all(
                not torch.equal(before[name], w) for name, w in weights if w.grad is not None
            )
    logits = given["model"](given["batch"]["input_ids"]).logits
    expected = given["numeric"](logits, given["labels"]).item()
    assert given["loss"].item() == pytest.approx(expected, rel=1e-5)


def test_ten_lines_are_ten_lines():
    loop = CODE[0].partition("vocab =")
    assert len((loop[1] + loop[2]).strip().splitlines()) <= 10
    trainer = CODE[3].partition("def ")
    assert len([line for line in trainer[2].splitlines() if line]) <= 10
    trl = CODE[4].partition("settings")
    assert len(trl[2].strip().splitlines()) <= 10


@pytest.fixture(scope="module")
def drawn():
    return runpy.run_path(str(DOCS / "losses.py"))


@pytest.mark.slow
@pytest.mark.parametrize("figure", ["answers", "near_misses", "four_tokens", "numbers"])
def test_the_figures_are_what_is_printed(drawn, figure):
    assert f"```text\n{drawn[figure]()}\n```" in PAGE


def test_every_loss_is_on_the_page():
    assert set(re.findall(r"^\*\*`(\w+)`\*\*", PAGE, re.MULTILINE)) == set(KINDS)


@pytest.mark.slow
def test_the_plot_can_be_drawn_again(drawn, tmp_path):
    drawn["draw"](tmp_path / "losses.png")
    assert (tmp_path / "losses.png").read_bytes()[:4] == b"\x89PNG"
