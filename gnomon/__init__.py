"""Teach vision-language models to read numbers: draw, fine-tune, evaluate.

The whole job in Python::

    import gnomon

    run = gnomon.train("my-clocks.yaml", out="runs/clocks")
    reader = gnomon.load("runs/clocks")
    answer = reader.read("hall.jpg")
    print(answer.value, answer.confidence)
    print(gnomon.evaluate(reader, "labels.csv"))
"""

from typing import TYPE_CHECKING, Any

from gnomon.version import __version__ as __version__

if TYPE_CHECKING:
    from gnomon.runs.answer import Answer as Answer
    from gnomon.runs.evaluating import calibrate as calibrate
    from gnomon.runs.evaluating import evaluate as evaluate
    from gnomon.runs.evaluating import score as score
    from gnomon.runs.loading import load as load
    from gnomon.runs.reader import Reader as Reader
    from gnomon.runs.run import Run as Run
    from gnomon.runs.training import train as train

_EXPORTS = {
    "Answer": "gnomon.runs.answer:Answer",
    "Reader": "gnomon.runs.reader:Reader",
    "Run": "gnomon.runs.run:Run",
    "calibrate": "gnomon.runs.evaluating:calibrate",
    "evaluate": "gnomon.runs.evaluating:evaluate",
    "load": "gnomon.runs.loading:load",
    "score": "gnomon.runs.evaluating:score",
    "train": "gnomon.runs.training:train",
}


def __getattr__(name: str) -> Any:
    if name not in _EXPORTS:
        raise AttributeError(f"module 'gnomon' has no attribute {name!r}")
    from gnomon import names

    return names.load_export(__name__, _EXPORTS, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_EXPORTS})
