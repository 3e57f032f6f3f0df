"""The check of a dataset on disk against its manifest."""

from pathlib import Path

from gnomon.terminal import show


def verify(folder: Path) -> int:
    """Check a dataset against its manifest.

    Example: gnomon verify clocks

    folder DIR: the dataset
    """
    from gnomon import store

    problems = store.verify(folder)
    for problem in problems:
        show(problem)
    count = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
    show(f"{folder}: {count if problems else 'sound'}")
    return 1 if problems else 0
