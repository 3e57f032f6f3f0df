"""Which losses the contract is held for, and which property does not hold for which, and why."""

from contextlib import nullcontext

import pytest
import torch

from gnomon.losses import KINDS

CASES = [
    *((name, {}) for name in KINDS),
    ("mmd", {"kernel": "laplace", "bandwidths": (0.5, 3.0)}),
    ("mmd", {"kernel": "energy"}),
    ("mmd", {"kernel": "random", "seed": 3}),
    ("mmd", {"published": True}),
    ("smooth", {"kernel": "laplace"}),
    ("smooth", {"kernel": "random", "seed": 3}),
    ("smmd", {"bandwidths": (1.0, 4.0), "published": True}),
    ("smmd", {"shuffled": True}),
    ("ntil", {"weights": (0.5, 0.0, 2.0), "base": 2.0}),
    ("ntil", {"construction": "soft", "temperature": 0.7}),
    ("ntil", {"published": True}),
    ("crps", {"published": True}),
    ("emd", {"published": True}),
    ("ntl_mse", {"published": True}),
    ("dist2", {"temperature": 3.0}),
    ("gaussian", {"sigma": 2.0}),
    ("crps", {"cycle": 10}),
    ("emd", {"cycle": 360}),
    ("mmd", {"kernel": "laplace", "cycle": 24}),
    ("mmd", {"kernel": "energy", "cycle": 10}),
    ("dist2", {"cycle": 12.5}),
    ("gaussian", {"cycle": 12.5}),
]

TEXTS = ["12:05", "-3.507", "(123,456)", "a", "1,234 0.05", "007"]

SOFT = "its target is spread over the values near the label, and it is least there"
ENDS = "its target is cut off where the values end"
NEAR = "its smoothness punishes near misses more than far ones"

DOES_NOT_HOLD = {
    "never negative": {"smooth kernel=random": "that kernel has entries below 0"},
    "zero where all is right": {"dist2": SOFT, "gaussian": SOFT},
    "symmetric for one-hot wrong answers": {"dist2": ENDS, "gaussian": ENDS},
    "increasing in the distance": {
        "smooth": NEAR,
        "smmd": NEAR,
        "mmd kernel=random": "its distances have nothing to do with the values'",
        "ntil weights=(0.5, 0.0, 2.0)": "its magnitude finds 2 for 5 worse than 9 for 5",
    },
    "the gradient is that of the value": {
        "ntil !construction=soft": "its numbers are put together of hard choices",
    },
}
"""Of each property the cases that lack it, each shown to lack it: words of the case's name, those
that it must not have with a "!", and the reason. Whatever is not listed holds for every case."""


def case_name(case):
    name, options = case
    return " ".join([name, *(f"{option}={value}" for option, value in options.items())])


def holds(prop, case):
    """Where assertions must hold, or, for the cases listed above, must fail."""
    listed = any(_is(case, words) for words in DOES_NOT_HOLD[prop])
    return pytest.raises(AssertionError) if listed else nullcontext()


def _is(case, words):
    has = case_name(case).split()
    return all((w[1:] not in has) if w.startswith("!") else (w in has) for w in words.split())


def gradient(value, of):
    return torch.autograd.grad(value, of, retain_graph=True)[0]


def random_logits(loss, labels, *, scale=3.0, dtype=torch.float64):
    logits = scale * torch.randn(*labels.shape, loss.vocab.size + 5, dtype=torch.float64)
    return logits.to(dtype).requires_grad_()


def certain_logits(loss, labels, gap=200.0):
    """No doubt about any label."""
    logits = torch.zeros(*labels.shape, loss.vocab.size)
    return logits.scatter(2, labels.clamp(min=0)[..., None], gap)
