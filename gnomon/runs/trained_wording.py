"""Questions in the words of a model's training, for models that know only their own questions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from string import ascii_uppercase

from gnomon.answers.base.target import AnswerForm, Target
from gnomon.answers.text.answer import TextForm
from gnomon.recipe import Columns
from gnomon.sample import OPTIONS, TARGETS, Sample

_OPTION = re.compile(r"([A-Z])\. (.+)")
_ONE_DIGIT = re.compile(r"(?<=:)(\d)(?!\d)")
"""Minutes such as 3:5, as some options have them."""
_VALUES = {"time": Columns(kind="time", seconds="drop"), "number": Columns(kind="number")}


def in_trained_words(sample: Sample, questions: Mapping[str, AnswerForm]) -> Sample:
    """Return the sample with the only trained question whose answers have the same type.

    Options that the question lists become the fact OPTIONS. The sample is unchanged if the model
    knows the question, or if no trained question or several have answers of this type.
    """
    form = sample.target.answer_form
    options = option_values(sample.question, form)
    # Texts have no meaning without their question.
    if sample.question in questions or (isinstance(form, TextForm) and not options):
        return sample
    types = {value.type_name for value in options.values()} or {form.type_name}
    fitting = [text for text, trained in questions.items() if types == {trained.type_name}]
    if len(fitting) != 1:
        return sample
    facts = dict(sample.facts)
    if options:
        facts[OPTIONS] = {letter: value.write() for letter, value in options.items()}
    return replace(sample, question=fitting[0], facts=facts)


def option_values(question: str, form: AnswerForm) -> dict[str, Target]:
    """Return the times or numbers that a question lists by letter. Empty if it lists no such."""
    if not isinstance(form, TextForm) or not form.choices:
        return {}
    matches = filter(None, map(_OPTION.fullmatch, question.splitlines()))
    texts = {match[1]: _ONE_DIGIT.sub(r"0\1", match[2].strip()) for match in matches}
    if tuple(texts) != form.choices or form.choices != tuple(ascii_uppercase[: len(texts)]):
        return {}
    for kind, columns in _VALUES.items():
        try:
            return {
                letter: TARGETS[kind].from_label(text, columns, None)
                for letter, text in texts.items()
            }
        except ValueError:
            continue
    return {}
