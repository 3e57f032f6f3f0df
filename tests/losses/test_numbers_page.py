"""docs/numbers.md says what is so."""

import re
import runpy

import pytest
from all_tokenizers import read, tokenizer_of, vocab_of
from quick import quick
from real_tokenizers import QUICK, REAL, ROOT

from gnomon.losses import NumericVocab

PAGE, LOSSES = (
    (ROOT / "docs" / n).read_text(encoding="utf-8") for n in ("numbers.md", "losses.md")
)


@pytest.mark.slow
def test_the_table_is_what_the_command_prints():
    table = runpy.run_path(str(ROOT / "docs" / "spans.py"))["table"]
    printed = table({n: tokenizer_of(n) for n in REAL}, {n: vocab_of(n) for n in REAL})
    assert f"`python docs/spans.py`:\n\n{printed}\n" in LOSSES


@pytest.mark.parametrize("name", quick(REAL, *QUICK))
def test_the_examples_are_read_so(name):
    rules = re.findall(r"^\| (`.*`) \| ([^|]*) \| [^|]* \|$", PAGE, re.MULTILINE)
    assert len(rules) == 15
    for written, expected in rules:
        texts = re.findall(r"`([^`]*)`", written)
        values = [float(v) for v in re.findall(r"[-\d.]+", expected)]
        assert [float(v) for numbers in read(name, texts) for v in numbers] == values, written


@pytest.mark.slow
def test_the_lines_of_code_run():
    code = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)[1]
    names = {"NumericVocab": NumericVocab, "tokenizer": tokenizer_of("qwen2"), "width": 151_936}
    exec(code, names)
    for line in code.splitlines():
        if line.startswith("vocab."):
            call, said = line.split("#")
            result = eval(call, names)
            shares = result.values() if isinstance(result, dict) else [result]
            assert re.findall(r"[01]\.\d", said) == [str(share) for share in shares]
