import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
import torch
from toy_vocabularies import one_digit

from gnomon import losses
from gnomon.losses import CE, KINDS, check, create

FILE = Path(__file__).with_name("wrong_options.jsonl")
WRONG = [json.loads(line) for line in FILE.read_text().splitlines()]
LOSS_FILES = ("distances", "kernels", "ntil", "soft_labels")


def test_every_loss_of_the_package_is_registered():
    modules = [import_module(f"gnomon.losses.{file}") for file in LOSS_FILES]
    classes = {
        value
        for module in modules
        for value in vars(module).values()
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


def test_names_and_options_are_refused_before_torch_is_loaded():
    code = """
import sys
from gnomon import losses
losses.check("smmd"), losses.check("ce"), losses.check("ntil", {})
for wrong in (lambda: losses.check("smdm", {"kernel": 3}), lambda: losses.check("ce", {"base": 2})):
    try:
        wrong()
    except ValueError as error:
        print(error)
assert not {"torch", "numpy"} & set(sys.modules)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "unknown loss 'smdm': did you mean smmd" in run.stdout
    assert "'ce' is the cross-entropy alone" in run.stdout


@pytest.mark.parametrize("case", WRONG, ids=lambda case: f"{case['loss']} {case['options']}")
def test_a_wrong_option_is_refused_by_name_and_value(case):
    with pytest.raises(ValueError, match=case["message"]):
        check(case["loss"], case["options"])
    with pytest.raises(ValueError, match=case["message"]):
        create(case["loss"], one_digit(), **case["options"])


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("smmd", {"kernel": "laplace", "bandwidths": [1, 2.5], "published": True}),
        ("mmd", {"kernel": "random", "seed": 7}),
        ("smooth", {"shuffled": True, "bandwidths": [1, 4]}),
        ("ntil", {"weights": [1, 0.2, 0], "base": 1.5, "temperature": 1, "construction": "soft"}),
        ("dist2", {"temperature": 2}),
    ],
)
def test_options_as_yaml_has_them_are_taken(name, options):
    check(name, options)


def test_the_cross_entropy_alone_is_no_numeric_loss():
    with pytest.raises(ValueError, match="unknown loss 'ce'"):
        create(CE, one_digit())
    with pytest.raises(ValueError, match="`gnomon ls losses` lists all"):
        create("nil", one_digit())
    with pytest.raises(AttributeError, match=r"module 'gnomon\.losses' has no attribute 'CELoss'"):
        losses.CELoss  # noqa: B018
