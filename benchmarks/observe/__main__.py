"""Answers with steps and rewards on the whole answer, beside direct answers, in equal compute.

    python -m benchmarks.observe run FOLDER [KIND ...]   # every training of PLAN.md
    python -m benchmarks.observe report                  # into docs/howto/steps.md, too

FOLDER has needles.zip and digits.zip. A killed run goes on with the next training. The answers are
in outcomes.jsonl.xz beside this file.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what is asked for; the exit code is 2 if it cannot be done."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.observe",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("step", choices=("run", "report"))
    parser.add_argument("folder", nargs="?", type=Path, help="folder with the photographs")
    parser.add_argument("kinds", nargs="*", help="kinds, such as bars (default: all)")
    options = parser.parse_args(arguments)
    # Read by torch and tokenizers when they are imported.
    os.environ.update(OMP_NUM_THREADS="1", TOKENIZERS_PARALLELISM="false")
    from benchmarks.observe import cells, report

    if options.step == "report":
        report.write()
    elif options.folder is None:
        parser.error("run: name the folder with the photographs")
    else:
        cells.run(options.folder, options.kinds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
