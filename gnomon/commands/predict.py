"""Answers of a model to an exam, or about unlabelled pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from gnomon.terminal import show


def predict(
    model: str,
    data: str | None = None,
    *overrides: str,
    out: Path | None = None,
    question: str | None = None,
    find: bool = False,
    find_question: str | None = None,
    finder: Literal["on", "off"] | None = None,
    server: str | None = None,
    belief: bool = False,
    coverage: float | None = None,
    wrong: float | None = None,
    answered: float | None = None,
) -> None:
    """Ask a run, or an untrained model, for its answers.

    Examples:
        gnomon predict runs/demo
        gnomon predict runs/demo photos --out readings.csv
        gnomon predict gnomon-tiny clock rotation=10 eval.samples=100

    model RUN|MODEL: a run, a checkpoint or a hub id
    data DATA|PICTURES: a kind, a recipe, a dataset, your own table, or a picture or folder of
        pictures (default: the samples that the run holds out)
    overrides key=value: such as eval.batch_size=4, or columns.answer=time for your own file
    out FILE: the answers: .jsonl, or .csv for pictures (default for a folder: answers.csv, if it
        does not exist). The answer about a single picture is printed
    question TEXT: the question about each picture, such as "What time is it?" (default: the run's
        question)
    find: find the clock, dial or counter, cut it out with a margin, and ask about the cut. The run
        must have learned both questions
    find_question TEXT: the question for the box, such as "Where is the clock? Give its box." It
        implies --find (default: the run's question)
    finder on|off: gnomon's own finder looks for a small clock, dial, gauge or counter first, and
        the model reads the upright cut (default: on for gnomon-tiny and pictures of your own)
    server URL: an OpenAI-compatible server that holds MODEL, such as http://localhost:8000/v1. The
        key is read from OPENAI_API_KEY
    belief: store the probability of each possible answer: the minutes of a clock, numbers to 100,
        choices of a text, and the numbers of a box
    coverage SHARE: for calibrated runs: the share of truths between low and high (0.9)
    wrong SHARE: for calibrated runs: refuse unsure readings, so at most this share of the answers
        is wrong, such as 0.05. This holds for groups that the calibration did not contain
    answered SHARE: for calibrated runs: answer only this share of the pictures, the surest, such as
        0.8
    """
    from gnomon.recipe import RecipeError
    from gnomon.runs.loading import open_reader, open_reader_and_exam
    from gnomon.runs.model_arguments import data_and_overrides
    from gnomon.runs.picture_input import pictures_in
    from gnomon.runs.predicting import predict_exam, predict_pictures

    data, words = data_and_overrides(data, overrides, belief=belief, server=server)
    path = pictures_in(data)
    if question is not None and path is None:
        raise RecipeError(
            f"--question {question!r}: only of a picture or a folder of them; {data or model} has"
            " its own questions"
        )
    terms, box = (coverage, wrong, answered), find_question or find
    looks = None if finder is None else finder == "on"
    if path is not None:
        reader = open_reader(model, words, question=question, find=box, finder=looks, terms=terms)
        show(*predict_pictures(reader, path, out))
    else:
        reader, exam = open_reader_and_exam(
            model, words, data=data, find=box, finder=looks, terms=terms
        )
        show(predict_exam(reader, exam, data, out))
