"""Answers of a model to an exam, or about pictures without labels."""

from __future__ import annotations

from pathlib import Path

from gnomon.terminal import show


def predict(
    model: str,
    data: str | None = None,
    *overrides: str,
    out: Path | None = None,
    question: str | None = None,
    find: bool = False,
    find_question: str | None = None,
    server: str | None = None,
    belief: bool = False,
    coverage: float | None = None,
    wrong: float | None = None,
    answered: float | None = None,
) -> None:
    """Ask a run, or a model as it came, for its answers.

    Example: gnomon predict runs/demo
    | gnomon predict gnomon-tiny clock rotation=10 eval.samples=100

    model RUN|MODEL: a run, a checkpoint or a hub id
    data DATA|PICTURES: a kind, recipe, dataset, your own table, a picture or a folder of them;
        default: what the run holds out
    overrides key=value: such as eval.batch_size=4, or columns.answer=time for your own file
    out FILE: the answers: .jsonl, or .csv of pictures; default of a folder: answers.csv, if there
        is none yet; of one picture the answer is printed, and stored only with --out
    question TEXT: the question about each picture, such as "What time is it?"; default: the one
        that the run was trained on
    find: ask first where the clock, dial or counter is, cut it out with a margin, and ask about
        that alone; for a run that learned both
    find_question TEXT: the question for its box, such as "Where is the clock? Give its box.", and
        --find; default: the one that the run was trained on
    server URL: an OpenAI-compatible server that holds MODEL, such as http://localhost:8000/v1; the
        key is in OPENAI_API_KEY
    belief: store the probability of every minute of a clock, number to 100, choice of a text, and
        of each number of a box
    coverage SHARE: of a run that `gnomon calibrate` has seen: the share of truths that lie between
        low and high (0.9)
    wrong SHARE: of such a run: refuse what is too unsure for at most this share of the answers to
        be wrong, such as 0.05; this holds for groups that the calibration did not contain
    answered SHARE: of such a run: answer only this share, the surest, such as 0.8
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
    if path is not None:
        reader = open_reader(model, words, question=question, find=box, terms=terms)
        show(*predict_pictures(reader, path, out))
    else:
        reader, exam = open_reader_and_exam(model, words, data=data, find=box, terms=terms)
        show(predict_exam(reader, exam, data, out))
