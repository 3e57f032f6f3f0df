"""The straight road: what strings the rooms together, from a recipe to a report."""

from gnomon.road.answering import predict, read_pictures
from gnomon.road.comparing import compare
from gnomon.road.directory import AFTER, BEFORE, versions
from gnomon.road.exam import Exam, check, check_names, open_recipe
from gnomon.road.merging import merge
from gnomon.road.request import Asked, asked
from gnomon.road.running import generate, plan, run, train
from gnomon.road.scoring import pictures_of, report, results, score
from gnomon.road.selftesting import selftest

__all__ = [
    "AFTER",
    "BEFORE",
    "Asked",
    "Exam",
    "asked",
    "check",
    "check_names",
    "compare",
    "generate",
    "merge",
    "open_recipe",
    "pictures_of",
    "plan",
    "predict",
    "read_pictures",
    "report",
    "results",
    "run",
    "score",
    "selftest",
    "train",
    "versions",
]
