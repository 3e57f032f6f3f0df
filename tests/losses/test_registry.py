from importlib import import_module
from types import SimpleNamespace

import pytest
import torch
from case_tables import table
from toy_vocabularies import one_digit

from gnomon import losses
from gnomon.losses import CE, KINDS, NumericVocab, Objective, check, create

LOSS_FILES = ("distances", "kernels", "ntil", "soft_labels")


def test_every_loss_of_the_package_is_registered():
    classes = {
        value
        for file in LOSS_FILES
        for value in vars(import_module(f"gnomon.losses.{file}")).values()
        if isinstance(value, type)
        and issubclass(value, losses.NumericLoss)
        and "parts" in vars(value)
    }
    assert {losses.load(name) for name in KINDS} == classes
    assert len(KINDS) == len(classes) + 1  # ntl_was is emd
    assert CE not in KINDS


def test_ntl_was_is_another_name_for_emd():
    assert losses.NTLWASLoss is losses.EMDLoss is losses.load("ntl_was") is losses.load("emd")


@pytest.mark.parametrize("name", KINDS)
def test_each_can_be_made_by_name_and_by_class(name):
    loss = create(name, one_digit())
    assert isinstance(loss, torch.nn.Module)
    assert type(loss) is losses.load(name) is getattr(losses, type(loss).__name__)
    assert loss.weights.keys() == loss.parts.keys()
    check(name)
    check(name, {})


@table(__file__, "options")
def test_a_wrong_option_is_refused_by_name_and_value(row):
    """Others, as YAML has them, are taken."""
    if "message" not in row:
        check(row["loss"], row["options"])
        return
    with pytest.raises(ValueError, match=row["message"]):
        check(row["loss"], row["options"])
    with pytest.raises(ValueError, match=row["message"]):
        create(row["loss"], one_digit(), **row["options"])


def test_what_is_no_vocabulary_tokenizer_or_loss_is_refused_in_words():
    for made, message in [
        (lambda: create("crps", {"0": 0}), "vocab is of type dict: give NumericVocab.from_tok"),
        (lambda: NumericVocab.from_tokenizer("Qwen/Qwen2-VL-2B"), "2B' is not a tokenizer"),
        (lambda: Objective("crps"), "loss='crps': give a numeric loss"),
        (lambda: Objective(losses.load("crps")), "loss=<class .*: give a numeric loss"),
        (lambda: Objective(create("crps", one_digit()), weight="0.3"), "weight='0.3': give 0 or"),
    ]:
        with pytest.raises(ValueError, match=message):
            made()


def test_a_processor_has_its_tokenizers_vocabulary():
    tokenizer = SimpleNamespace(get_vocab=lambda: {digit: int(digit) for digit in "0123456789"})
    processor = SimpleNamespace(tokenizer=tokenizer)
    entries = NumericVocab.from_tokenizer(processor).entries
    assert entries == NumericVocab.from_tokenizer(tokenizer).entries
    assert len(entries) == 10
    assert {"create", "NumericVocab", "CRPSLoss", "Objective"} <= set(dir(losses))


def test_the_cross_entropy_alone_is_no_numeric_loss():
    with pytest.raises(ValueError, match="unknown loss 'ce'"):
        create(CE, one_digit())
    with pytest.raises(ValueError, match="`gnomon ls losses` lists all"):
        create("nil", one_digit())
