"""Benchmarks of instruments: ClockBench, MeasureBench, ScaleBench and TickTockVQA."""

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache
from pathlib import Path, PurePosixPath
from string import ascii_uppercase
from typing import Any, Literal

from gnomon import files, jsons
from gnomon.recipe import Columns
from gnomon.sample import Number, Text, Time
from gnomon.store.benchmarks import find_picture, first_filled_cell, picture_group, split_of_file
from gnomon.store.user_data.table import UserRow

_TASKS = ("time", "shift", "angle", "zone")
_OF_24 = ("shift", "zone")
_INVALID = '"valid": false'
_CHOICES = (_INVALID, '"valid": true')
# A comma before a closing bracket. Some answers have it, and JSON does not allow it.
_TRAILING = re.compile(r",(\s*[}\]])")


def clockbench(line: int, raw: dict[str, Any], file: Path) -> Iterator[UserRow]:
    """Clocks to read, to shift and to convert to another time zone, some of them impossible.

    ClockBench (clockbench.ai) asks four questions about each clock. An input….json lies next to its
    answers….json. As published, input/ has both files, and images/ next to it has the pictures of
    `image_url`. Questions ask for JSON with hours, minutes and seconds. After a shift or in another
    zone, a day has 24 hours. Otherwise it has 12 or 24, as the hour needs. If an answer is a range,
    such as minutes [4, 5], its middle is used here, as in the benchmark's own deviations. So
    `exact` is stricter than the benchmark's accuracy. Compare "within 1 minute" instead. The right
    answer to an impossible clock is that it is not valid.
    """
    image = find_picture(raw, file, "image_url", "../images")
    # input.json has its answers in answers.json.
    key = file.with_name(file.name.replace("input", "answers", 1))
    answers = _answers(key, key.stat().st_mtime_ns)[raw["id"]]
    for task in _TASKS:
        if question := raw.get(f"question_{task}"):
            answer = first_filled_cell(answers, f"answer_{task}")
            if isinstance(answer, str):
                answer = jsons.loads(_TRAILING.sub(r"\1", answer), f"answer {answer!r}")
            target = _target(answer, task)
            yield UserRow(line, image, question, target, raw["id"], split_of_file(file), part=task)


@lru_cache(maxsize=1)
def _answers(file: Path, changed: int) -> dict[str, dict[str, Any]]:  # noqa: ARG001 - for the cache
    data = files.read_bytes(file, "ClockBench's answers")
    answers: dict[str, dict[str, Any]] = jsons.loads(data, file.name)
    return answers


def _target(answer: dict[str, Any], task: str) -> Time | Text:
    if answer.get("valid") is False:
        return Text(_INVALID, _CHOICES)
    hour, minute, second = (_middle(answer.get(name)) for name in ("hours", "minutes", "seconds"))
    if hour is None or minute is None or hour > 24 or minute > 59 or (second or 0) > 59:
        raise ValueError(f"answer {answer!r} is not a time of day")
    hours: Literal[12, 24] = 24 if task in _OF_24 or hour > 12 else 12
    # 12 and 24 o'clock are 0.
    seconds = hour % hours * 3600 + minute * 60 + (second or 0)
    return Time(seconds, hours, shows_seconds=second is not None, form="json")


def _middle(value: Any) -> int | None:
    """Return a whole number, the middle of a range, or None without a value."""
    if value is None or value is False:
        return None
    ends: list[int] = value if isinstance(value, list) else [value]
    return (min(ends) + max(ends)) // 2


_HALF_DAY = 12 * 3600
_HOUR_13 = 13 * 3600


def measurebench(line: int, raw: dict[str, Any], file: Path) -> Iterator[UserRow]:
    """Instruments of 26 types, read to an interval.

    MeasureBench (Lin et al. 2025, arXiv:2510.26865): instruments of 26 types, read with their unit.
    It is read from Parquet rows of the hub, or from the JSON of its generators: a `question`, a
    picture in `image` or at `img_path`, an `evaluator`, and `evaluator_kwargs` (also as JSON text)
    with an `interval` of right answers and the names of its unit in `units`. The answer used here
    is the interval's middle with a tolerance of half its width, so "right as far as the scale can
    be read" is the benchmark's accuracy of numbers. The unit is not judged. An interval of times
    also becomes its middle: `exact` is stricter, and "within 1 minute" wider than most intervals.
    If there are several intervals in different units, the first counts, and the question names its
    unit.
    """
    image = find_picture(raw, file, "img_path")
    question = str(first_filled_cell(raw, "question")).removeprefix("<image 1>").strip()
    (low, high), unit, several = _right(raw)
    target = _time(low, high) if isinstance(low, str) else _number(low, high, unit)
    if several and unit:
        question = f"{question} Answer in {unit}."
    yield UserRow(line, image, question, target, picture_group(image), split_of_file(file))


def _right(raw: dict[str, Any]) -> tuple[tuple[Any, Any], str, bool]:
    """Return the interval of right answers, the first name of its unit, and whether there are other
    units."""
    arguments = first_filled_cell(raw, "evaluator_kwargs")
    if isinstance(arguments, str):
        arguments = jsons.loads(arguments, "evaluator_kwargs")
    match raw.get("evaluator"):
        case "interval_matching":
            (low, high), units, several = arguments["interval"], arguments["units"], False
        case "multi_interval_matching":
            # One interval per unit.
            (low, high), *others = arguments["intervals"]
            units, several = next(iter(arguments["units"]), ""), bool(others)
        case other:
            raise ValueError(f"evaluator {other!r}: expected interval_matching or multi_…")
    unit = units if isinstance(units, str) else next(iter(units), "")
    return (low, high), " ".join(str(unit).split()), several


def _number(low: Any, high: Any, unit: str) -> Number:
    first, last = Decimal(str(low)), Decimal(str(high))
    return Number((first + last) / 2, unit, (last - first) / 2)


def _time(low: str, high: str) -> Time:
    """Return the middle, to the second if the interval is narrower than a minute."""
    # Intervals of times are [first, last], and may pass twelve.
    first, last = _seconds(low), _seconds(high)
    while last < first:  # 12:59:59 to 1:00:01; twice for 23:59:50 to 0:00:10
        last += _HALF_DAY
    has_seconds = last - first < 60
    middle = (first + last) // 2
    if not has_seconds:
        middle -= middle % 60
    if min(_seconds(low), _seconds(high)) >= _HOUR_13:
        return Time(middle % (2 * _HALF_DAY), 24, has_seconds)
    return Time(middle % _HALF_DAY, 12, has_seconds)


def _seconds(time: str) -> int:
    """Return the seconds of 10:08 or 10:08:30. The generators also write 10:08:60 and 10:08:-1."""
    # Missing seconds are 0.
    hour, minute, second = (*map(int, time.split(":")), 0)[:3]
    return hour * 3600 + minute * 60 + second


_LETTERED = re.compile(r"([A-Z])\.\s*(.+)", re.DOTALL)
_CLOCK_TIME = re.compile(r"\d{1,2}:\d{2}(:\d{2})?", re.ASCII)
_DECIMAL = re.compile(r"-?\d+(\.\d+)?", re.ASCII)


def scalebench(line: int, raw: dict[str, Any], file: Path) -> Iterator[UserRow]:
    """Scales of 33 instruments in photographs, with four options and as open questions.

    ScaleBench (Jin et al. 2026, aclanthology.org/2026.acl-long.1887) is read from the authors'
    train.jsonl, val.jsonl or test.jsonl: `image`, `question`, `options` such as "A.9:27:32", and
    the letter of the right option in `answer`. The pictures lie in Images/ of the authors' folder,
    or in Images/ or images/ next to the file. A table with the right option's text in `value`, its
    `options` as a JSON list, and a `split` also works. gnomon asks two questions about each row:
    the letter of the right option, and the reading. It accepts a number as the reading if no other
    option is nearer to it than the right option. A duration such as "1min 5s" is asked for as an
    option only. Reports show the scores of each instrument, which the picture's name contains.
    """
    image = find_picture(raw, file, "image", "Images", "images", "../../Images")
    question = " ".join(str(first_filled_cell(raw, "question")).split())
    choices, letter = _options(raw)
    name = PurePosixPath(str(raw["image"])).stem
    shared: dict[str, Any] = {
        "group": picture_group(image),
        "split": raw.get("split") or split_of_file(file),
        "instrument": name.rpartition("-")[0] or name,
    }
    lines = [f"{letter}. {choice}" for letter, choice in choices.items()]
    options = "\n".join((question, *lines, "Answer with the letter."))
    right = Text(letter, tuple(choices))
    yield UserRow(line, image, options, right, **shared, part="options")
    if reading := _reading(question, choices[letter], list(choices.values())):
        yield UserRow(line, image, question, reading, **shared, part="open")


def _options(raw: dict[str, Any]) -> tuple[dict[str, str], str]:
    """Return the options by letter, and the letter of the right option."""
    options = first_filled_cell(raw, "options")
    if isinstance(options, str):
        options = jsons.loads(options, "options")
    if "answer" in raw:
        matches = [_LETTERED.fullmatch(option) for option in options]
        choices = {match[1]: match[2].strip() for match in matches if match}
        letter = str(raw["answer"]).strip()
    else:
        choices = dict(zip(ascii_uppercase, options, strict=False))
        value = first_filled_cell(raw, "value")
        letter = next((key for key, choice in choices.items() if choice == value), str(value))
    if len(choices) != len(options) or letter not in choices:
        raise ValueError(f"the answer {letter!r} is not one of the options {options}")
    return choices, letter


def _reading(question: str, right: str, choices: list[str]) -> Time | Number | None:
    """Return the right option as a time or a number, or None for a duration."""
    if "time" in question and _CLOCK_TIME.fullmatch(right):
        return Time.from_label(right, Columns(kind="time"), None)
    if not all(_DECIMAL.fullmatch(choice) for choice in choices):
        return None
    value = Decimal(right)
    distances = [abs(Decimal(choice) - value) for choice in choices]
    nearest = min((distance for distance in distances if distance), default=Decimal(0))
    return Number(value, within=nearest / 2)


QUESTION = "What time does the clock show? Answer HH:MM."


def ticktockvqa(line: int, raw: dict[str, Any], file: Path) -> Iterator[UserRow]:
    """Clocks in photographs, read to the minute.

    TickTockVQA (Choi et al. 2026, arXiv:2603.08011): clocks in photographs and films. It is read
    from the authors' annotations.json, a list of {"image_path", "hour", "minute", "ampm",
    "time_string", …}. The pictures lie in images/ next to it, and their first folder, train or
    test, is the split. Rows of `image` and `label` also work, where the label is the `time_string`
    such as 12:26 PM, as in the authors' upload. Dials are read on 12 hours, so a.m. and p.m., which
    some scenes show, are not asked for. The authors do not publish a question. The question is
    gnomon's.
    """
    image = find_picture(raw, file, "image_path", "images")
    if raw.get("image_path"):
        split = PurePosixPath(raw["image_path"]).parts[0]
        label = f"{first_filled_cell(raw, 'hour')}:{first_filled_cell(raw, 'minute'):0>2}"
    else:
        split = split_of_file(file)
        label = first_filled_cell(raw, "label", "time_string")
    if split not in ("train", "test"):
        raise ValueError(
            f"image_path {raw.get('image_path')!r}: it should begin with train/ or test/"
        )
    time = Time.from_label(label, Columns(kind="time"), None)
    yield UserRow(line, image, QUESTION, time, picture_group(image), split)
