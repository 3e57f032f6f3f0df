"""The pages on losses and numbers are true: code runs, figures are what is printed."""

import re
import runpy

import pytest
import torch
from all_tokenizers import read, tokenizer_of, vocab_of
from datasets import Dataset
from quick import quick
from real_tokenizers import QUICK, REAL, ROOT
from toy_tokenizers import qwen2
from transformers import Qwen2Config, Qwen2ForCausalLM

from gnomon.losses import KINDS, NumericVocab

DOCS = ROOT / "docs"
LOSSES, EQUATIONS, DIGITS, NUMBERS = (
    (DOCS / f"{name}.md").read_text(encoding="utf-8")
    for name in ("losses", "loss-equations", "loss-digits", "numbers")
)
CODE = re.findall(r"```python\n(.*?)```", LOSSES, re.DOTALL)


@pytest.fixture
def names(tmp_path, monkeypatch):
    """What the page takes for granted: a model, its tokenizer, and sums to learn."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    tokenizer = qwen2()
    tokenizer.add_special_tokens({"pad_token": "<pad>", "eos_token": "<eos>"})
    shape = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1,
             "num_attention_heads": 2, "num_key_value_heads": 1}  # fmt: skip
    model = Qwen2ForCausalLM(Qwen2Config(vocab_size=len(tokenizer) + 7, **shape))
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
def test_the_code_about_losses_runs_and_trains(names):
    assert len(CODE) == 6
    for code in CODE:
        before = {name: w.clone() for name, w in names["model"].named_parameters()}
        exec(code, names)
        if "backward" in code or "train()" in code:
            for name, weight in names["model"].named_parameters():
                assert weight.grad is None or not torch.equal(before[name], weight)
    logits = names["model"](names["batch"]["input_ids"]).logits
    expected = names["numeric"](logits, names["labels"]).item()
    assert names["loss"].item() == pytest.approx(expected, rel=1e-5)


@pytest.fixture(scope="module")
def figures():
    return runpy.run_path(str(DOCS / "losses.py"))


@pytest.mark.slow
@pytest.mark.parametrize("figure", ["answers", "near_misses", "four_tokens", "numbers", "boxes"])
def test_the_figures_are_what_is_printed(figures, figure):
    assert f"```text\n{figures[figure]()}\n```" in EQUATIONS + DIGITS


@pytest.mark.slow
def test_the_plot_can_be_drawn_again(figures, tmp_path):
    figures["draw"](tmp_path / "losses.png")
    assert (tmp_path / "losses.png").read_bytes()[:4] == b"\x89PNG"


def test_every_loss_is_on_the_page():
    assert set(re.findall(r"^\*\*`(\w+)`\*\*", EQUATIONS, re.MULTILINE)) == set(KINDS)


@pytest.mark.slow
def test_the_table_of_tokenizers_is_what_the_command_prints():
    table = runpy.run_path(str(DOCS / "spans.py"))["table"]
    printed = table({n: tokenizer_of(n) for n in REAL}, {n: vocab_of(n) for n in REAL})
    assert f"`python docs/spans.py`:\n\n{printed}\n" in NUMBERS


@pytest.mark.parametrize("name", quick(REAL, *QUICK))
def test_the_examples_of_numbers_are_read_so(name):
    rules = re.findall(r"^\| (`.*`) \| ([^|]*) \| [^|]* \|$", NUMBERS, re.MULTILINE)
    assert len(rules) == 15
    for written, expected in rules:
        texts = re.findall(r"`([^`]*)`", written)
        values = [float(v) for v in re.findall(r"[-\d.]+", expected)]
        assert [float(v) for numbers in read(name, texts) for v in numbers] == values, written


@pytest.mark.slow
def test_the_lines_about_numbers_run():
    code = re.search(r"```python\n(.*?)```", NUMBERS, re.DOTALL)[1]
    names = {"NumericVocab": NumericVocab, "tokenizer": tokenizer_of("qwen2"), "width": 151_936}
    exec(code, names)
    for line in code.splitlines():
        if line.startswith("vocab."):
            call, said = line.split("#")
            result = eval(call, names)
            shares = result.values() if isinstance(result, dict) else [result]
            assert re.findall(r"[01]\.\d", said) == [str(share) for share in shares]
