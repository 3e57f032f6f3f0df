"""The likelihood of a plain text is what transformers' own loss says, whatever the windows."""

import pytest
import torch

from gnomon.pipeline import text_likelihood

PAGE = "What is 12 + 30? It is 42. " * 4


def test_every_family_measures_what_its_own_loss_says(name, exact):
    ids = torch.tensor([exact.tokenizer(PAGE)["input_ids"]])
    with torch.no_grad():
        logits = exact.model(input_ids=ids).logits[0, :-1]
    loss = torch.nn.functional.cross_entropy(logits.float(), ids[0, 1:])
    measured = text_likelihood(exact.model, exact.tokenizer, PAGE)
    assert measured.n_tokens == ids.shape[1] - 1
    assert measured.mean == pytest.approx(-float(loss), abs=1e-4)


def test_a_long_text_is_read_in_windows_that_overlap_by_half(blank):
    """Each token counts once, with the tokens before it in its window."""
    ids = blank.tokenizer(PAGE)["input_ids"][:27]
    text = blank.tokenizer.decode(ids)
    assert blank.tokenizer(text)["input_ids"] == ids
    total = 0.0
    for index in range(1, 27):
        start = max(0, (index - 8) // 4 + 1) * 4
        with torch.no_grad():
            logits = blank.model(input_ids=torch.tensor([ids[start:index]])).logits[0, -1]
        total += float(logits.log_softmax(-1)[ids[index]])
    measured = text_likelihood(blank.model, blank.tokenizer, text, window=8)
    assert measured == (pytest.approx(total / 26, abs=1e-5), 26)
    assert measured != text_likelihood(blank.model, blank.tokenizer, text)


def test_a_text_of_one_token_is_refused(blank):
    with pytest.raises(ValueError, match="a text needs two tokens"):
        text_likelihood(blank.model, blank.tokenizer, "7")
