"""Draws docs/losses.png, and prints the figures of docs/loss-equations.md and docs/loss-digits.md.

python docs/losses.py

Shapes: N values.
"""

from __future__ import annotations

from functools import cache
from itertools import permutations, product
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib.pyplot as plt
import torch

from gnomon.eval import iou
from gnomon.losses import KINDS, NumericVocab, create

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

    from gnomon.losses import NumericLoss

DIGITS = NumericVocab({str(n): n for n in range(10)})
STRINGS = ["".join(digits) for width in (1, 2, 3) for digits in product("0123456789", repeat=width)]
TRIPLES = NumericVocab({text: n for n, text in enumerate(STRINGS)})
"""As Llama-3 has them: one token for one to three digits, `05` and `007` among them."""
GAP = 10
LISTS = NumericVocab({**{str(n): n for n in range(10)}, ";": GAP})
"""One token a digit, and one between the numbers of a box, where a comma would mean thousands."""
TRUE_BOX = (100, 100, 300, 300)
BOXES = (
    TRUE_BOX, (101, 100, 300, 300), (110, 100, 300, 300), (200, 100, 300, 300),
    (100, 100, 400, 300), (200, 100, 400, 300), (100, 100, 299, 299), (700, 100, 900, 300),
    (900, 100, 900, 300),
)  # fmt: skip
SURE = 20.0
"""How far the answer's logit leads in the plot and in the tables."""
INK, FAINT, SURFACE = "#1f6feb", "#c9d1d9", "#ffffff"


def cost(
    loss: NumericLoss, answer: Sequence[int], label: Sequence[int], sure: float = SURE
) -> float:
    """The loss of an answer that leads by that much at every token, and is as long as the label."""
    logits = torch.zeros(1, len(label), loss.vocab.size, dtype=torch.float64)
    logits[0, range(len(label)), list(answer)] = sure
    return float(loss(logits, torch.tensor([list(label)])))


@cache
def costs_of(name: str) -> list[list[float]]:
    """By label and answer, of one digit each."""
    loss = create(name, DIGITS)
    return [[cost(loss, [answer], [label]) for answer in range(10)] for label in range(10)]


def falling(name: str) -> str:
    """Of how many pairs, one answer nearer to the digit than the other, the farther costs less."""
    less = [
        costs[near] > costs[far] + 1e-9
        for label, costs in enumerate(costs_of(name))
        for near, far in permutations(range(10), 2)
        if abs(near - label) < abs(far - label)
    ]
    return f"{sum(less):>3} of {len(less)}"


def answers() -> str:
    """What each answer to 5 costs, and how often the farther of two costs less."""
    lines = [
        "loss     " + "".join(f"{answer:>8}" for answer in range(10)) + "   farther costs less"
    ]
    for name in KINDS:
        costs = "".join(f"{c:>8.3f}" for c in costs_of(name)[5])
        lines.append(f"{name:<9}{costs}   {falling(name)}")
    return "\n".join(lines)


def four_tokens() -> str:
    """The kernel worked through: the label 5 among the tokens 3, 4, 5 and 9."""
    v = torch.tensor([3.0, 4.0, 5.0, 9.0])
    p = torch.tensor([0.1, 0.3, 0.4, 0.2])
    r = p - torch.tensor([0.0, 0.0, 1.0, 0.0])
    k = torch.exp(-((v[:, None] - v) ** 2) / (2 * 2.0**2))
    degrees = k.sum(1)
    alpha = 1 / (2 * degrees.mean())
    mmd, smooth = r @ k @ r, (degrees * r) @ r - r @ k @ r
    rows = [f"{'':>4}" + _row(v, 0) + "        r       Kr   degree"]
    for i in range(4):
        rows.append(f"{int(v[i]):>4}{_row(k[i])}{r[i]:>9.3f}{(k @ r)[i]:>9.3f}{degrees[i]:>9.3f}")
    rows += [
        f"L_MMD    = rᵀKr       = {mmd:.4f}",
        f"L_smooth = rᵀ(D − K)r = {smooth:.4f}",
        f"α        = 1 / (2 · mean degree) = {alpha:.4f}",
        f"SMMD     = L_MMD + α · L_smooth  = {mmd + alpha * smooth:.4f}",
    ]
    return "\n".join(rows)


def near_misses() -> str:
    """The smoothness of a sure answer to 5, without its factor α and with it."""
    smooth = create("smooth", DIGITS)
    v = torch.arange(10.0, dtype=torch.float64)
    alpha = 1 / (2 * float(torch.exp(-((v[:, None] - v) ** 2) / 8).sum(1).mean()))
    cost_of = {answer: cost(smooth, [answer], [5], sure=1e4) for answer in (4, 0)}
    return "\n".join(
        f"5 read as {answer}: L_smooth = {c / alpha:.2f}, times α = {alpha:.3f} that is {c:.3f}"
        for answer, c in cost_of.items()
    )


def numbers() -> str:
    """Tabulate the losses of three-digit answers, with one token per digit and with one for all."""
    said = ["200", "201", "199", "290", "900", "002"]
    lines = ["one token a digit" + _row(said), *_costs(DIGITS, said, "200"), ""]
    lines += ["three digits     " + _row(said), *_costs(TRIPLES, said, "200")]
    return "\n".join(lines)


def boxes() -> str:
    """Costs of boxes with one token a digit, beside how much of the true box they miss."""
    names = ("crps", "mmd", "ntil")
    losses = [create(name, LISTS) for name in names]
    label = _box_tokens(TRUE_BOX)
    lines = ["box" + " " * 17 + "".join(f"{name:>9}" for name in names) + "    1 − IoU"]
    for box in BOXES:
        costs = [cost(loss, _box_tokens(box), label) for loss in losses]
        text = ", ".join(map(str, box))
        row = "".join(f"{c:>9.3f}" for c in costs)
        lines.append(f"{text:<20}{row}{1 - iou(box, TRUE_BOX):>11.3f}")
    return "\n".join(lines)


def draw(path: Path) -> None:
    """The loss against the error of an answer, for each label faintly and for 5 in ink."""
    plt.rcParams |= {"font.size": 8, "axes.spines.top": False, "axes.spines.right": False}
    figure, axes = plt.subplots(2, 5, figsize=(10, 4.4), sharex=True, layout="constrained")
    for axis, name in zip(axes.flat, KINDS, strict=True):
        for label in [*(n for n in range(10) if n != 5), 5]:
            errors = [answer - label for answer in range(10)]
            style = {"color": INK, "marker": "o", "ms": 3, "lw": 1.6} if label == 5 else {}
            axis.plot(errors, costs_of(name)[label], **{"color": FAINT, "lw": 0.8, **style})
        axis.set_title(name, loc="left", fontsize=9)
        axis.set_ylim(bottom=0)
        axis.set_xticks([-9, -5, 0, 5, 9])
    figure.supxlabel("answer − label", fontsize=9)
    figure.supylabel("loss", fontsize=9)
    figure.savefig(path, dpi=110, facecolor=SURFACE, metadata={"Software": None})


def _costs(vocab: NumericVocab, said: Sequence[str], meant: str) -> list[str]:
    losses = {name: create(name, vocab) for name in KINDS}
    losses["mmd, 3 bandwidths"] = create("mmd", vocab, bandwidths=(2.0, 20.0, 200.0))
    lines = []
    for name, loss in losses.items():
        costs = [cost(loss, _tokens(vocab, text), _tokens(vocab, meant)) for text in said]
        lines.append(f"{name:<17}" + "".join(f"{c:>11.3f}" for c in costs))
    return lines


def _tokens(vocab: NumericVocab, text: str) -> list[int]:
    return [int(digit) for digit in text] if vocab is DIGITS else [STRINGS.index(text)]


def _box_tokens(box: Sequence[int]) -> list[int]:
    return [GAP if c == ";" else int(c) for c in ";".join(map(str, box))]


def _row(values: Tensor | Sequence[str], digits: int = 3) -> str:
    if isinstance(values, torch.Tensor):
        return "".join(f"{value:>8.{digits}f}" for value in values.tolist())
    return "".join(f"{value:>11}" for value in values)


if __name__ == "__main__":
    draw(Path(__file__).with_suffix(".png"))
    print(answers(), near_misses(), four_tokens(), numbers(), boxes(), sep="\n\n")
