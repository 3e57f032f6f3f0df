"""gnomon-tiny learns to read the clocks that its finder cuts out, from drawings alone.

    python -m benchmarks.making.clock_reader runs/found-clocks    # goes on where it was killed
    python -m benchmarks.making.clock_reader runs/photographed --photographs scale.zip --seed 1

The second command goes on from the addition that ships, with the train clocks of `benchmarks.wild`
in half of each batch and drawings in the other half. Its addition stays in runs/.

Another process draws the cuts of the next round meanwhile. The weights of gnomon-tiny stay as they
are: RUN/clock.safetensors has what is added to them when the finder has cut out a clock.
"""

from __future__ import annotations

import argparse
import copy
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torch import Tensor, nn

from benchmarks.making.eyes import patches_of
from benchmarks.making.finder import rounds
from benchmarks.making.found_clocks import draw, shrink
from benchmarks.making.tokens import picture_processor
from benchmarks.wild import Labelled, read_rows, split_clocks
from gnomon.generators.drawing.canvas import Pixels
from gnomon.pipeline import additions
from gnomon.pipeline.collate import prompt_of
from gnomon.pipeline.families import TINY
from gnomon.pipeline.load import Loaded, load
from gnomon.progress import track
from gnomon.recipe import Model
from gnomon.runs.finding import ADDITIONS, InstrumentFinder
from gnomon.sample import FINDING, Sample, Time
from gnomon.store.pictures import load_picture

QUESTION = "What time does the clock show? Answer HH:MM."
BATCH, ROUND_SIZE, ROUNDS = 64, 2_400, 17
"""Cuts of a step and of a round, and rounds."""
RATE, FALL = 4e-4, 0.3
"""The rate, and the share of the last steps in which it falls to 2 %."""
DECAY = 0.985
"""Share of the average that each step keeps."""
SHARE = 0.5
"""Share of what was learned that is added. Of 213 photographs of train, 43.7 % are then read within
a minute: 39.9 % with all of it, 42.3 % with three quarters, and 38.5 % without."""
STEPS, PHOTO_RATE = 120, 2e-4
"""Steps on photographs and drawings, and their rate."""
FROZEN = ("embed_tokens", "merger.mlp", "lm_head")
"""Parts that stay as they are, so that the addition is small."""
TEST_SEED, TEST_SIZE = 1_000_003, 300


class Student:
    """gnomon-tiny with the tokens of its question and of each answer."""

    def __init__(self, start: Path | None = None) -> None:
        self.loaded: Loaded = load(Model(name="gnomon-tiny", dtype="float32", load_in_4bit=False))
        self.model = self.loaded.model
        self.before = {n: w.detach().clone() for n, w in self.model.named_parameters()}
        if start is not None:
            additions.add(self.model, start)
        for name, weight in self.model.named_parameters():
            weight.requires_grad_(not any(part in name for part in FROZEN))
        self.average = copy.deepcopy(self.model).eval()
        self.settings = picture_processor()
        self.inputs, self.n_given = self._inputs()

    def write(self, file: Path, share: float = 1.0) -> None:
        """Write a share of what the averaged weights add to those of gnomon-tiny."""
        after = {
            name: self.before[name].lerp(weight.detach(), share)
            for name, weight in self.average.named_parameters()
        }
        additions.write(file, self.before, after)

    def _inputs(self) -> tuple[list[dict[str, Tensor]], int]:
        """Return the model's inputs for each minute of twelve hours, without the picture."""
        picture, processor = Image.new("RGB", (112, 112)), self.loaded.processor
        sample = Sample("0", picture, QUESTION, Time(0))
        prompt = prompt_of(self.loaded.family, processor, sample)
        texts = [
            prompt + self.loaded.family.answer(processor, prompt, f"{m // 60 or 12:02}:{m % 60:02}")
            for m in range(720)
        ]
        made = [processor(text=[t], images=[[picture]], return_tensors="pt") for t in texts]
        given = processor(text=[prompt], images=[[picture]], return_tensors="pt")
        return [dict(inputs) for inputs in made], given["input_ids"].shape[1]

    def loss(self, model: Any, pixels: Tensor, minutes: Tensor) -> tuple[Tensor, Tensor]:
        """Return the cross-entropy of the answers' tokens and whether each answer is read."""
        rows = [self.inputs[minute] for minute in minutes.tolist()]
        fields = ("input_ids", "attention_mask", "mm_token_type_ids", "image_grid_thw")
        batch = {name: torch.cat([row[name] for row in rows]) for name in fields}
        patches = patches_of(pixels, self.settings.image_mean, self.settings.image_std)
        with torch.autocast("cpu", torch.bfloat16):
            n_answer = batch["input_ids"].shape[1] - self.n_given
            outputs = model(
                **batch, pixel_values=patches.flatten(0, 1), logits_to_keep=n_answer + 1
            )
        logits, answers = outputs.logits[:, :-1].float(), batch["input_ids"][:, self.n_given :]
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), answers.flatten())
        return loss, (logits.argmax(-1) == answers).all(1)


def main(arguments: Sequence[str] | None = None) -> int:
    """Train the reader, and write what it adds to RUN/clock.safetensors."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.making.clock_reader",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("run", type=Path)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"({ROUNDS})")
    parser.add_argument("--cuts", type=int, default=ROUND_SIZE, help=f"({ROUND_SIZE})")
    parser.add_argument("--photographs", type=Path, help="folder or zip, as benchmarks.wild takes")
    parser.add_argument("--steps", type=int, default=STEPS, help=f"on photographs ({STEPS})")
    parser.add_argument("--seed", type=int, default=0, help="of the steps on photographs (0)")
    options = parser.parse_args(arguments)
    if options.photographs:
        train_on_photographs(options.run, options.photographs, options.steps, options.seed)
    else:
        train(options.run, options.rounds, options.cuts)
    return 0


def train(run: Path, last: int, size: int) -> None:
    """Train the rounds that no checkpoint has yet, and write the addition after each."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    student = Student()
    trained = [weight for weight in student.model.parameters() if weight.requires_grad]
    optimizer = torch.optim.AdamW(trained, RATE, betas=(0.9, 0.98), weight_decay=0.0)
    parts: list[Any] = [student.model, student.average, optimizer]
    run.mkdir(parents=True, exist_ok=True)
    checkpoint, first = run / "checkpoint.pt", 0
    if checkpoint.is_file():
        first, *states = torch.load(checkpoint)
        for part, state in zip(parts, states, strict=True):
            part.load_state_dict(state)
    test_set = draw(TEST_SEED, TEST_SIZE)
    if not first:
        print(json.dumps(test(student, test_set)), flush=True)
    for number, labelled in enumerate(rounds(first, last, size, draw), first):
        row = _train_round(student, optimizer, labelled, number, last) | test(student, test_set)
        print(json.dumps(row), flush=True)
        with (run / "log.jsonl").open("a", encoding="utf-8") as log:
            log.write(json.dumps(row) + "\n")
        unfinished = checkpoint.with_suffix(".new")
        torch.save((number + 1, *(part.state_dict() for part in parts)), unfinished)
        unfinished.replace(checkpoint)
        student.write(run / "clock.safetensors", SHARE)


def train_on_photographs(run: Path, source: Path, steps: int, seed: int) -> None:
    """Train the addition that ships on photographs and drawings, as many of each."""
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    run.mkdir(parents=True, exist_ok=True)
    rows, _ = split_clocks(read_rows(source, run))
    photographs = [torch.from_numpy(part) for part in cut_out(rows)]
    drawings = [torch.from_numpy(part) for part in draw(TEST_SEED + 1 + seed, steps * BATCH // 2)]
    student = Student(TINY / ADDITIONS / "clock.safetensors")
    trained = [weight for weight in student.model.parameters() if weight.requires_grad]
    optimizer = torch.optim.AdamW(trained, PHOTO_RATE, betas=(0.9, 0.98), weight_decay=0.0)
    student.model.train()
    for step in track(range(1, steps + 1), total=steps, desc="training"):
        optimizer.param_groups[0]["lr"] = PHOTO_RATE * min(step / 20, 1.02 - step / steps)
        drawn = slice((step - 1) * BATCH // 2, step * BATCH // 2)
        chosen = torch.randint(len(photographs[0]), (BATCH // 2,))
        pixels, minutes = (
            torch.cat([of_photographs[chosen], of_drawings[drawn]])
            for of_photographs, of_drawings in zip(photographs, drawings, strict=True)
        )
        _step(student, optimizer, pixels, minutes, min(0.98, step / (step + 10)))
    student.write(run / "clock.safetensors")


def cut_out(rows: Sequence[Labelled]) -> tuple[Pixels, NDArray[np.int64]]:
    """Return the clocks that the finder cuts out of photographs, as `draw` does."""
    finder = InstrumentFinder()
    pixels, minutes = [], []
    for row in rows:
        view = finder.view(Sample(row.file.stem, load_picture(row.file), QUESTION, Time(0)))
        if view.image is not None and not view.facts[FINDING].refusal:
            pixels.append(shrink(view.image))
            minutes.append(int(row.value))
    return np.stack(pixels), np.array(minutes)


@torch.no_grad()
def test(student: Student, labelled: tuple[Any, ...]) -> dict[str, float]:
    """Return the loss of the averaged weights, and the share of answers that are read."""
    pixels, minutes = (torch.from_numpy(part) for part in labelled)
    pairs = zip(pixels.split(BATCH), minutes.split(BATCH), strict=True)
    results = [student.loss(student.average, *pair) for pair in pairs]
    losses, hits = zip(*results, strict=True)
    return {
        "test loss": round(float(torch.stack(losses).mean()), 4),
        "read": round(float(torch.cat(hits).float().mean()), 4),
    }


def changed(pixels: Tensor) -> Tensor:
    """Shift pictures by some pixels, and change their light and their colours."""
    n, side = len(pixels), pixels.shape[1]
    wide = nn.functional.pad(pixels.permute(0, 3, 1, 2).float(), (4, 4, 4, 4), mode="replicate")
    moved = torch.stack([
        picture[:, y : y + side, x : x + side]
        for picture, (x, y) in zip(wide, torch.randint(0, 9, (n, 2)).tolist(), strict=True)
    ]).permute(0, 2, 3, 1)  # fmt: skip
    middle = moved.mean((1, 2, 3), keepdim=True)
    contrast, light = 0.7 + 0.5 * torch.rand(n, 1, 1, 1), 30 * torch.randn(n, 1, 1, 1)
    tint = 10 * torch.randn(n, 1, 1, 3)
    return (middle + (moved - middle) * contrast + light + tint).clamp(0, 255)


def _train_round(
    student: Student, optimizer: Any, labelled: tuple[Any, ...], number: int, last: int
) -> dict[str, Any]:
    """Train one round and return its line of the log."""
    student.model.train()
    pixels, minutes = (torch.from_numpy(part) for part in labelled)
    order = torch.from_numpy(np.random.default_rng(number).permutation(len(pixels)))
    order = order[: len(order) // BATCH * BATCH].view(-1, BATCH)
    first, all_steps, start, losses = number * len(order), last * len(order), time.monotonic(), []
    for step, rows in enumerate(order, first + 1):
        share = min(step / 60, 1) * min((1.02 - step / all_steps) / FALL, 1)
        for group in optimizer.param_groups:
            group["lr"] = RATE * share
        keep = min(DECAY, step / (step + 20))
        losses.append(_step(student, optimizer, pixels[rows], minutes[rows], keep))
    return {
        "step": first + len(order), "loss": round(float(np.mean(losses)), 4),
        "seconds": round(time.monotonic() - start),
    }  # fmt: skip


def _step(student: Student, optimizer: Any, pixels: Tensor, minutes: Tensor, keep: float) -> float:
    """Take one step, of which the average keeps this share of itself. Return the loss."""
    loss, _ = student.loss(student.model, changed(pixels), minutes)
    loss.backward()  # type: ignore[no-untyped-call]
    nn.utils.clip_grad_norm_(student.model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad()
    with torch.no_grad():
        pairs = zip(student.average.parameters(), student.model.parameters(), strict=True)
        for old, new in pairs:
            old.lerp_(new, 1 - keep)
    return loss.item()


if __name__ == "__main__":
    sys.exit(main())
