"""The chart reader learns to speak: its language model answers questions from what its eyes see.

    python -m benchmarks.making.chart_reader runs/chart-eyes runs/chart-reader

The eyes stay as they are, so each chart passes through them once and is asked about many times.
Several questions share a picture: each attends to the picture and to itself alone.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from transformers.models.qwen2_vl.modeling_qwen2_vl import apply_rotary_pos_emb

from benchmarks.making.chart_eyes import SHAPES, TOKEN, Drawn, cut, draw_charts
from gnomon.generators.chart.chart_questions import ANSWERS, WORDS
from gnomon.generators.chart.steps import steps
from gnomon.generators.drawing.picture_generator import STEPS_WANTED
from gnomon.pipeline import processor_of
from gnomon.pipeline.families import TINY, tiny
from gnomon.progress import track

BATCH, DIRECT, CHAINED = 16, 7, 3
"""Charts of a step, and questions about each: for the value alone, and for what is seen first."""
ASKED = DIRECT + CHAINED
AIMED_LAYER, AIMED_HEADS = 2, 2
"""Layer of the language model, and its first heads, that learn to look at the mark."""
KEPT = 12_000
"""Charts that are asked about again."""


class Row(NamedTuple):
    """A chart with the tokens of its picture."""

    tokens: Tensor
    shape: tuple[int, int]
    asked: list[Asked]
    chained: list[Asked]
    places: list[int]
    """Token of each mark, by its row."""


class Asked(NamedTuple):
    """A question with its answer and the row of the mark that it is about."""

    question: str
    answer: str
    row: int


def questions_of(facts: dict[str, Any]) -> tuple[list[Asked], list[Asked]]:
    """Return the questions for the n-th value and for both extremes of a chart, with their answers,
    without and with steps. Slices are not counted.
    """
    values = [row[0] for row in facts["cells"]]
    is_round = facts["axis"] is None and facts["across"] is None
    if is_round:
        total = sum(map(float, values))
        if abs(total - 100) > 0.5:
            values = [str(round(100 * float(value) / total)) for value in values]
    point = "point" if facts["chart"] == "line" else "bar"
    (nth,), (peak,) = WORDS["nth"], WORDS["peak"]
    shown = [row for row, value in enumerate(values) if value]
    asked = [] if is_round else [(nth.format(point=point, n=row + 1), row) for row in shown]
    for which, choose in (("highest", max), ("lowest", min)):
        row = choose(shown, key=lambda row: float(values[row]))
        asked += [(peak.format(which=which), row)] * 2
    direct, chained = [], []
    seen = {**facts, "question": "nth", "labelled": False, "cells": [[value] for value in values]}
    for question, row in asked:
        question = f"{question} {ANSWERS['nth']}"
        direct.append(Asked(question, values[row], row))
        said = steps({**seen, "about": {"cells": [(row, 0)]}})
        chained.append(Asked(f"{question} {STEPS_WANTED}", f"{said}: {values[row]}", row))
    return direct, chained


class Reader(nn.Module):
    """The whole model, and what is constant in each prompt."""

    def __init__(self, model: Any, processor: Any) -> None:
        super().__init__()
        self.model, self.tokenizer = model, processor.tokenizer
        of = self.tokenizer.convert_tokens_to_ids
        self.start, self.end = of("<|im_start|>"), of("<|im_end|>")
        self.before, self.after = of("<|vision_start|>"), of("<|vision_end|>")
        self.seen: Any = None
        self.looks = 0.0
        aimed = model.model.language_model.layers[AIMED_LAYER].self_attn
        aimed.register_forward_pre_hook(self._keep, with_kwargs=True)

    def _keep(self, _: nn.Module, __: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Keep what the aimed layer is given, to see where its heads look."""
        self.seen = kwargs["hidden_states"], kwargs["position_embeddings"]

    def block(self, question: str, answer: str) -> tuple[list[int], list[int]]:
        """Tokens of a question with its answer, and the labels; -100 before the answer."""
        asked = [*self.tokenizer(question).input_ids, self.end, self.start]
        said = [*self.tokenizer(answer).input_ids, self.end]
        return asked + said, [-100] * len(asked) + said

    def loss(
        self, rows: Sequence[Row], rng: np.random.Generator, *, aimed: bool = True
    ) -> tuple[Tensor, float]:
        """Cross-entropy of all answers, and the share of answers whose tokens are all likeliest.

        If `aimed`, the first is with that of where two heads look while an answer is said.
        """
        language, shape = self.model.model.language_model, rows[0].shape
        wide, high = shape[0] // TOKEN, shape[1] // TOKEN
        many = wide * high
        blocks, labels, numbers, aims = [], [], [], []
        for row in rows:
            chosen = [row.asked[at] for at in rng.permutation(len(row.asked))[:DIRECT]]
            chosen += [row.chained[at] for at in rng.permutation(len(row.chained))[:CHAINED]]
            ids: list[int] = []
            said: list[int] = []
            number: list[int] = []
            aim: list[int] = []
            for place, one in enumerate(chosen):
                block, its = self.block(one.question, one.answer)
                ids, said, number = ids + block, said + its, number + [place] * len(block)
                # From the token before the answer on, the reader should look at the mark.
                told = sum(label != -100 for label in its) + 1
                aim += [-1] * (len(block) - told) + [2 + row.places[one.row]] * told
            blocks.append(ids), labels.append(said), numbers.append(number), aims.append(aim)
        longest = max(map(len, blocks))
        count = len(rows)
        ids_, labels_, number_, aims_ = (
            torch.tensor([part + [fill] * (longest - len(part)) for part in parts])
            for parts, fill in ((blocks, 0), (labels, -100), (numbers, -1), (aims, -1))
        )
        embed = language.embed_tokens
        ends = embed(torch.tensor([self.start, self.before, self.after]))
        picture = torch.stack([row.tokens for row in rows]).float()
        prefix = torch.cat(
            [ends[:2].expand(count, 2, -1), picture, ends[2:].expand(count, 1, -1)], 1
        )
        inputs = torch.cat([prefix, embed(ids_)], 1)
        # A block may look at the whole picture and at itself.
        before = prefix.shape[1]
        total = before + longest
        allowed = torch.zeros(count, total, total, dtype=torch.bool)
        allowed[:, :, :before] = True
        same = (number_[:, :, None] == number_[:, None]) & (number_ >= 0)[:, None]
        allowed[:, before:, before:] = same
        allowed &= torch.ones(total, total, dtype=torch.bool).tril()
        allowed |= torch.eye(total, dtype=torch.bool)
        after = 2 + max(wide, high)
        within = torch.zeros_like(number_)
        for row_index, number in enumerate(numbers):
            starts: dict[int, int] = {}
            for at, place in enumerate(number):
                within[row_index, at] = at - starts.setdefault(place, at)
        image = torch.stack(
            [
                torch.full((many,), 2),
                2 + torch.arange(high).repeat_interleave(wide),
                2 + torch.arange(wide).repeat(high),
            ]
        )
        head = torch.cat([torch.arange(2).expand(3, 2), image, torch.full((3, 1), after)], 1)
        positions = torch.cat(
            [head[:, None].expand(3, count, -1), (after + 1 + within).expand(3, count, -1)], 2
        )
        with torch.autocast("cpu", torch.bfloat16):
            states = language(
                inputs_embeds=inputs,
                attention_mask={"full_attention": allowed[:, None]},
                position_ids=positions,
                use_cache=False,
            ).last_hidden_state
        told = torch.zeros(count, longest, dtype=torch.bool)
        told[:, 1:] = labels_[:, 1:] != -100
        scores = nn.functional.linear(
            states[:, before - 1 : -1][told].float(), embed.weight.float()
        )
        truth = labels_[told]
        loss = nn.functional.cross_entropy(scores, truth)
        looks = self._looks(before, aims_, allowed) if aimed else torch.zeros(())
        with torch.no_grad():
            wrong = scores.argmax(-1) != truth
            keys = torch.arange(count)[:, None] * ASKED + number_
            bad = torch.bincount(keys[told], weights=wrong.float(), minlength=count * ASKED)
            seen = torch.bincount(keys[told], minlength=count * ASKED) > 0
            right = (bad[seen] == 0).float().mean().item()
        self.looks = looks.item()
        return loss + looks, right

    def _looks(self, before: int, aims: Tensor, allowed: Tensor) -> Tensor:
        """Cross-entropy of where two heads of a layer look, with the mark as the right place."""
        layer = self.model.model.language_model.layers[AIMED_LAYER].self_attn
        (states, (cos, sin)) = self.seen
        chosen = aims >= 0
        many, shape = int(chosen.sum()), (*states.shape[:2], -1, layer.head_dim)
        with torch.autocast("cpu", torch.bfloat16):
            query = layer.q_proj(states).view(shape).transpose(1, 2)
            key = layer.k_proj(states).view(shape).transpose(1, 2)
        query, key = apply_rotary_pos_emb(query.float(), key.float(), cos, sin)
        row, place = chosen.nonzero(as_tuple=True)
        asking = query[row, :AIMED_HEADS, before + place]  # [many, heads, width]
        scores = torch.empty(many, AIMED_HEADS, key.shape[2])
        for one in range(len(states)):
            scores[row == one] = torch.einsum(
                "nhd,htd->nht", asking[row == one], key[one, :AIMED_HEADS]
            )
        scores = scores * layer.scaling
        scores = scores.masked_fill(~allowed[row, before + place][:, None], -1e9)
        truth = aims[chosen][:, None].expand(-1, AIMED_HEADS)
        return nn.functional.cross_entropy(scores.flatten(0, 1), truth.flatten())


def features(model: Any, charts: Sequence[Drawn]) -> list[Row]:
    """Pass charts through the eyes."""
    rows = []
    for shape in SHAPES:
        of_shape = [chart for chart in charts if chart.shape == shape]
        for start in range(0, len(of_shape), 16):
            part = of_shape[start : start + 16]
            pixels = torch.from_numpy(np.stack([chart.pixels for chart in part]))
            grid = torch.tensor([[1, shape[1] // 14, shape[0] // 14]] * len(part))
            with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
                tokens = model.model.visual(
                    cut(pixels).bfloat16().flatten(0, 1), grid_thw=grid
                ).pooler_output
            tokens = tokens.unflatten(0, (len(part), -1)).bfloat16()
            rows += [
                Row(token.clone(), shape, *questions_of(chart.facts), places_of(chart))
                for token, chart in zip(tokens, part, strict=True)
            ]
    return rows


def places_of(chart: Drawn) -> list[int]:
    """Return the token of the picture in which each mark ends."""
    places = [0] * len(chart.facts["rows"])
    for mark in chart.facts["marks"]:
        x, y = (at * chart.scale for at in mark["at"])
        column = min(int(x // TOKEN), chart.shape[0] // TOKEN - 1)
        line = min(int(y // TOKEN), chart.shape[1] // TOKEN - 1)
        places[mark["cell"][0]] = line * (chart.shape[0] // TOKEN) + column
    return places


def deepen(model: Any, layers: int) -> Any:
    """Add layers that change nothing at first to the language model."""
    from copy import deepcopy

    text = model.model.language_model
    for _ in range(layers - len(text.layers)):
        layer = deepcopy(text.layers[-1])
        nn.init.zeros_(layer.self_attn.o_proj.weight)
        nn.init.zeros_(layer.mlp.down_proj.weight)
        layer.self_attn.layer_idx = len(text.layers)
        text.layers.append(layer)
    config = model.config.text_config
    config.num_hidden_layers = layers
    config.layer_types = ["full_attention"] * layers
    return model


def save(model: Any, folder: Path) -> None:
    """Write the model with the processor of its family."""
    model.save_pretrained(folder)
    processor = processor_of("gnomon-tiny")
    least, most = tiny.GnomonTinyCharts.pixels
    processor.image_processor.size = {"shortest_edge": least, "longest_edge": most}
    processor.save_pretrained(folder)


def main(arguments: Sequence[str] | None = None) -> int:
    """Train the language model, and write the reader to RUN/model."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.making.chart_reader",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("eyes", type=Path)
    parser.add_argument("run", type=Path)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--charts", type=int, default=1000, help="new charts of a round")
    parser.add_argument(
        "--visits", type=int, default=1920, help="charts that are asked about in a round"
    )
    parser.add_argument("--keep", type=int, default=5, help="rounds between kept models")
    parser.add_argument("--layers", type=int, default=5)
    parser.add_argument("--rate", type=float, default=3e-3)
    parser.add_argument("--muon", type=float, default=0.02)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    torch.manual_seed(options.seed)
    family = tiny.GnomonTiny()
    model = deepen(family.load_model(TINY, dtype=torch.float32), options.layers)
    seen = torch.load(options.eyes / "checkpoint.pt")[1]
    model.model.visual.load_state_dict(
        {
            name.removeprefix("tower.").replace("_orig_mod.", ""): weight
            for name, weight in seen.items() if name.startswith("tower.")
        }
    )  # fmt: skip
    reader = Reader(model, processor_of("gnomon-tiny"))
    text = model.model.language_model
    matrices = [weight for weight in text.layers.parameters() if weight.ndim == 2]
    ids = set(map(id, matrices))
    rest = [weight for weight in text.parameters() if id(weight) not in ids]
    optimizers: list[torch.optim.Optimizer] = [
        torch.optim.Muon(matrices, options.muon, weight_decay=0.05),
        torch.optim.AdamW(rest, options.rate, betas=(0.9, 0.98), weight_decay=0.01),
    ]
    run: Path = options.run
    run.mkdir(parents=True, exist_ok=True)
    parts: list[Any] = [text, *optimizers]
    checkpoint, first = run / "checkpoint.pt", 0
    if checkpoint.is_file():
        first, *states = torch.load(checkpoint)
        for part, state in zip(parts, states, strict=True):
            part.load_state_dict(state)
    buffer: list[Row] = []
    steps_done = 0
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, spawn) as pool:

        def submit(number: int) -> Any:
            # Charts beyond those that the eyes learnt from.
            start = 10_000_000 * (options.seed + 1) + number * options.charts
            return pool.submit(draw_charts, range(start, start + options.charts))

        future = submit(first)
        for number in range(first, options.rounds):
            drawn, future = future.result(), submit(number + 1)
            began, rng = time.monotonic(), np.random.default_rng([options.seed, number])
            buffer += features(model, drawn)
            seen_in = time.monotonic() - began
            groups: dict[Any, list[int]] = {shape: [] for shape in SHAPES}
            recent = max(0, len(buffer) - KEPT)
            for index in range(recent, len(buffer)):
                groups[buffer[index].shape].append(index)
            count = options.visits // BATCH
            total, aimed, hits = 0.0, 0.0, []
            for step in track(range(count), desc=f"round {number + 1}"):
                share = (number + step / count) / options.rounds
                steps_done += 1
                schedule = min(steps_done / 100, 1) * (
                    0.02 + 0.98 * (1 + math.cos(math.pi * share)) / 2
                )
                for optimizer, most in zip(optimizers, (options.muon, options.rate), strict=True):
                    for group in optimizer.param_groups:
                        group["lr"] = most * schedule
                shape = SHAPES[int(rng.integers(len(SHAPES)))]
                rows = [buffer[index] for index in rng.choice(groups[shape], BATCH)]
                loss, right = reader.loss(rows, rng)
                loss.backward()  # type: ignore[no-untyped-call]
                nn.utils.clip_grad_norm_(text.parameters(), 1.0)
                for optimizer in optimizers:
                    optimizer.step()
                    optimizer.zero_grad()
                total += loss.item()
                aimed += reader.looks
                hits.append(right)
            row = {
                "round": number + 1, "charts": len(buffer), "loss": round(total / count, 4),
                "aim": round(aimed / count, 4),
                "exact": round(sum(hits) / len(hits), 4), "eyes s": round(seen_in),
                "s": round(time.monotonic() - began),
            }  # fmt: skip
            print(json.dumps(row), flush=True)
            with (run / "log.jsonl").open("a", encoding="utf-8") as log:
                log.write(json.dumps(row) + "\n")
            unfinished = checkpoint.with_suffix(".new")
            torch.save((number + 1, *(part.state_dict() for part in parts)), unfinished)
            unfinished.replace(checkpoint)
            if (number + 1) % options.keep == 0 or number + 1 == options.rounds:
                save(model, run / f"after-{(number + 1) * options.charts}")
    save(model, run / "model")
    return 0


if __name__ == "__main__":
    sys.exit(main())
