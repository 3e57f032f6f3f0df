"""Costs of reading from Python beside the model's own work, and of the command line.

    python -m benchmarks.reading > benchmarks/results/reading.txt

Each line is a ratio of the processor's seconds of two ways that take turns in one run, on one
thread: a busy machine takes none of these seconds.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import gnomon
from gnomon.generators import create
from gnomon.pipeline.answering.local import PLAIN_DECODING
from gnomon.pipeline.collate import prompt_of
from gnomon.pipeline.families.base import encode
from gnomon.pipeline.load import inference
from gnomon.runs.answer_table import AnswerTable
from gnomon.runs.reader import Reader
from gnomon.sample import Sample

QUESTION = "What time does the clock show? Answer HH:MM."
ROUNDS, PICTURES, STARTS = 40, 300, 3
IMPORTS = "import torch; from transformers import Qwen2VLForConditionalGeneration"


def seconds(work: Callable[[], object]) -> float:
    """Return the processor's seconds of one call, those of processes that it starts included."""
    start = _used()
    work()
    return _used() - start


def _used() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def ratios(ours: Callable[[], object], theirs: Callable[[], object], n: int) -> list[float]:
    """Return the ratio of each of n pairs that take turns, after a pair that warms up."""
    ours(), theirs()
    return [seconds(ours) / seconds(theirs) for _ in range(n)]


def line(what: str, values: list[float]) -> str:
    """Return the median ratio with its range."""
    return f"{what:<62}{statistics.median(values):5.2f}  [{min(values):.2f}, {max(values):.2f}]"


def bare_forward(reader: Reader, sample: Sample) -> Callable[[], object]:
    """Return the model's generation alone, of inputs that are prepared once."""
    loaded = reader.model
    family, processor, tokenizer = loaded.family, loaded.processor, loaded.tokenizer
    prompt = prompt_of(family, processor, sample)
    inputs = encode(processor, [prompt], [sample.images], side="left")
    end = tokenizer.convert_tokens_to_ids(family.end_token(processor))

    def generate() -> object:
        with inference(loaded.model):
            return loaded.model.generate(
                **inputs,
                max_new_tokens=reader.recipe.eval.max_new_tokens,
                **PLAIN_DECODING,
                eos_token_id=end,
                pad_token_id=tokenizer.pad_token_id,
            )

    return generate


def main() -> None:
    """Print the three comparisons."""
    import torch

    torch.set_num_threads(1)
    reader = gnomon.load("gnomon-tiny", question=QUESTION)
    clocks = create("clock", split="test", size=224)
    sample = Sample("0", clocks[0].image, QUESTION, clocks[0].target)
    print(f"{'':<62}ratio  [least, most]")
    forward = bare_forward(reader, sample)
    by_picture = ratios(lambda: reader.read(sample.image), forward, ROUNDS)
    print(line("reader.read of a picture / generation from ready inputs", by_picture))
    with TemporaryDirectory() as folder:
        for index in range(PICTURES):
            clocks[index].image.save(Path(folder, f"{index:04}.png"))
        files, table = sorted(Path(folder).glob("*.png")), Path(folder, "answers.csv")
        by_reader = ratios(
            lambda: list(reader.read_all(files)),
            lambda: AnswerTable(table).fill(reader, files, QUESTION),
            3,
        )
        print(line(f"read_all of {PICTURES} files / the same by gnomon predict FOLDER", by_reader))
        words = ["-m", "gnomon", "predict", "gnomon-tiny", str(files[0]), "--question", QUESTION]
        by_shell = ratios(
            lambda: subprocess.run([sys.executable, *words], check=True, capture_output=True),
            lambda: subprocess.run([sys.executable, "-c", IMPORTS], check=True),
            STARTS,
        )
        print(line("gnomon predict of a picture / importing torch and the model", by_shell))


if __name__ == "__main__":
    main()
