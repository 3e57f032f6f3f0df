"""What the verbs of the command line do, from a recipe to a report."""

from gnomon.workflows.answering import predict, read_pictures
from gnomon.workflows.comparing import compare
from gnomon.workflows.exam import Exam, check, open_recipe
from gnomon.workflows.merging import merge
from gnomon.workflows.request import asked
from gnomon.workflows.running import plan, run, train
from gnomon.workflows.scoring import pictures_of, report, results, review, score
from gnomon.workflows.selftesting import selftest

__all__ = [
    "Exam",
    "asked",
    "check",
    "compare",
    "merge",
    "open_recipe",
    "pictures_of",
    "plan",
    "predict",
    "read_pictures",
    "report",
    "results",
    "review",
    "run",
    "score",
    "selftest",
    "train",
]
