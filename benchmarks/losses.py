"""What each numeric loss costs, forward and backward, beside the cross-entropy and ntloss.

python benchmarks/losses.py

ntloss is another package, whose lines are left out where it is missing: `pip install --no-deps
ntloss loguru`, into this environment or, with `--target DIR`, into a folder to name in PYTHONPATH.
All of it takes 5 GB of memory and some minutes.

Shapes: B batch, T tokens, V vocabulary, H hidden.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import torch
from tokenizers import Tokenizer, models
from torch.nn.functional import cross_entropy
from torch.profiler import ProfilerActivity, profile
from transformers import PreTrainedTokenizerFast

from gnomon.losses import KINDS, NumericVocab, create

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from torch import Tensor

B, T, H = 4, 512, 1536
WIDTHS = (32_000, 151_936)
POSITIONS = (8, 32, 128)


@dataclass(frozen=True)
class Way:
    """One way to a loss: what gets its gradient, and the losses by how many digits there are."""

    name: str
    of: Tensor
    losses: Mapping[int, Callable[[], Tensor]]


@dataclass(frozen=True)
class Cost:
    """What it took: the processor's milliseconds by how many digits, and the most's peak in MB."""

    ms: Mapping[int, float]
    mb: float


def pieces(width: int) -> dict[str, int]:
    """A vocabulary of words, ten of them digits; a semicolon, lest digits go on with a word."""
    return {str(i) if i < 10 else f"word{i};": i for i in range(width)}


def labels_with(digits: int, width: int) -> Tensor:
    """[B, T] words with numbers of two digits among them, as many in each row."""
    labels = torch.randint(10, width, (B, T))
    for row in labels:
        for start in range(0, digits // B, 2):
            row[4 * start : 4 * start + 2] = torch.randint(10, (2,))
    return labels


def ways(width: int, labels: Mapping[int, Tensor]) -> list[Way]:
    """All that is measured at one width, from logits."""
    logits = torch.randn(B, T, width).requires_grad_()
    vocab = NumericVocab(pieces(width))
    calls: dict[str, Callable[[Tensor], Tensor]] = {
        "cross-entropy": lambda y: cross_entropy(logits.flatten(0, 1), y.flatten()),
        "one column's sum": lambda _: logits.select(-1, 0).sum(),  # writes its zeros, nothing more
    }
    calls |= {name: partial(theirs, logits) for name, theirs in ntlosses(width).items()}
    calls |= {name: partial(create(name, vocab), logits) for name in KINDS}
    return [Way(name, logits, _bound(call, labels)) for name, call in calls.items()]


def ntlosses(width: int) -> dict[str, Callable[..., Tensor]]:
    """The package's losses, as they come and without their factor for the mass on digits."""
    try:
        from loguru import logger
        from ntloss import NTLoss, NTLossDotProduct
    except ImportError:
        return {}
    logger.remove()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer(models.WordLevel(pieces(width), unk_token="word10;"))
    )
    makes = {"ntloss WAS": NTLoss, "ntloss MSE": NTLossDotProduct}
    return {
        name + ("" if reweigh else ", not reweighed"): make(
            tokenizer, vocab_size=width, reweigh=reweigh
        )
        for name, make in makes.items()
        for reweigh in (True, False)
    }


def hidden_ways(width: int, labels: Mapping[int, Tensor]) -> list[Way]:
    """The same from hidden states; the head is frozen, and only its digits' rows are ever read."""
    hidden = torch.randn(B, T, H).requires_grad_()
    head = torch.empty(width, H)
    head[:10] = torch.randn(10, H)
    vocab = NumericVocab(pieces(width))
    calls = {name: partial(create(name, vocab).from_hidden, hidden, head) for name in KINDS}
    return [Way(name, hidden, _bound(call, labels)) for name, call in calls.items()]


def measured(ways: list[Way], rounds: int) -> dict[str, Cost]:
    """The medians of rounds that take turns, after one that warms the caches.

    Of the one thread's own time, so that what else the machine does counts little.
    """
    times: dict[tuple[str, int], list[float]] = {}
    for turn in range(rounds + 1):
        for way in ways:
            for digits, loss in way.losses.items():
                way.of.grad = None
                start = time.process_time()
                loss().backward()
                if turn:
                    times.setdefault((way.name, digits), []).append(time.process_time() - start)
    return {
        way.name: Cost(
            {digits: 1e3 * statistics.median(times[way.name, digits]) for digits in way.losses},
            peak_mb(way),
        )
        for way in ways
    }


def peak_mb(way: Way) -> float:
    """What is allocated at once beyond what was there, the gradient too."""
    way.of.grad = None
    gc.collect()
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as recorded:
        way.losses[max(way.losses)]().backward()
    now = most = 0
    for event in recorded.profiler.kineto_results.events():
        if event.name() == "[memory]":
            now += event.nbytes()
            most = max(most, now)
    return most / 2**20


def _bound(
    call: Callable[[Tensor], Tensor], labels: Mapping[int, Tensor]
) -> dict[int, Callable[[], Tensor]]:
    return {digits: partial(call, y) for digits, y in labels.items()}


def show(title: str, found: Mapping[str, Cost], against: Mapping[str, float]) -> None:
    """Print milliseconds, how flat they are, and the ratio to each of the others."""
    least, most = min(POSITIONS), max(POSITIONS)
    heads = "".join(f"{n:>9}" for n in POSITIONS) + f"{f'{most}/{least}':>9}{'MB':>9}"
    print(
        f"\n{title}\n{'ms of CPU, by digits':<26}{heads}"
        + "".join(f"{'of ' + a:>12}" for a in against)
    )
    for name, cost in found.items():
        cells = "".join(f"{cost.ms[n]:>9.1f}" for n in POSITIONS)
        flat = f"{cost.ms[most] / cost.ms[least]:>8.2f}x"
        ratios = "".join(f"{cost.ms[most] / ms:>12.1%}" for ms in against.values())
        print(f"{name:<26}{cells}{flat}{cost.mb:>9.1f}{ratios}")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    torch.set_num_threads(1)
    torch.manual_seed(0)
    for width in WIDTHS:
        labels = {digits: labels_with(digits, width) for digits in POSITIONS}
        vocab = NumericVocab(pieces(width))
        assert all(vocab.spans(y).numeric.sum() == digits for digits, y in labels.items())
        found = measured(ways(width, labels), rounds)
        others = {
            short: found[name].ms[max(POSITIONS)]
            for short, name in {"CE": "cross-entropy", "ntloss": "ntloss WAS"}.items()
            if name in found
        }
        if "ntloss" not in others:
            print("without ntloss: pip install --no-deps ntloss loguru")
        shape = f"B={B}, T={T}, V={width:,}, float32, one thread"
        show(f"From logits: {shape}", found, others)
        hidden = measured(hidden_ways(width, labels), 10 * rounds)
        show(f"From hidden states: {shape}, H={H}", hidden, others)


if __name__ == "__main__":
    main()
