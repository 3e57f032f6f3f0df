"""Answers that other programs wrote: which column has the ids, which the texts, what they answer.

Known by their columns are

- lmms-eval's samples_*.jsonl: `doc_id`, `filtered_resps`, and `resps` where a filter changed them
  (lmms_eval/loggers/evaluation_tracker.py);
- the output of OpenAI's batch API and of `vllm run-batch`: `custom_id`, `response`
  (platform.openai.com/docs/api-reference/batch; vllm/entrypoints/openai/run_batch.py);
- the output of Gemini's and Anthropic's batches: `key`, `response`; `custom_id`, `result`
  (ai.google.dev/gemini-api/docs/batch-api; docs.claude.com/en/docs/build-with-claude);
- chat completions and chats, a line each: `choices`, `candidates`, `messages`.

All else needs columns of the usual names, or to be told which they are.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gnomon.sample import Prediction, prediction_from_json

_IDS = ("sample_id", "id", "custom_id", "question_id", "doc_id", "index", "idx")
_TEXTS = ("text", "prediction", "pred", "answer", "model_answer", "response", "output",
          "model_output", "completion", "generation", "generated_text", "resps")  # fmt: skip
_FORMATS: tuple[tuple[set[str], tuple[str, ...], tuple[str, ...]], ...] = (
    ({"custom_id", "response"}, ("custom_id",), ("response",)),
    ({"custom_id", "result"}, ("custom_id",), ("result",)),
    ({"key", "response"}, ("key",), ("response",)),
    ({"candidates"}, _IDS, ("candidates",)),
    ({"doc_id", "filtered_resps"}, ("doc_id",), ("resps", "filtered_resps")),
    ({"choices"}, tuple(name for name in _IDS if name != "id"), ("choices",)),  # `id` is its own
    ({"messages"}, _IDS, ("messages",)),
    (set(), _IDS, ()),
)
"""The columns that tell a format; which of them may be the ids; where a row's text is, the first of
these that the row has, or under a usual name."""
_INNER = ("body", "choices", "candidates", "message", "content", "parts", "text", "output")
"""Where a response has its text, from the outside in."""
_OURS = {"sample_id", "text", "dialect"}
NO_COLUMN = "none"
"""What is said in the place of a column of ids for the order of the lines."""


@dataclass(frozen=True, slots=True)
class Said:
    """One answer of a file."""

    line: int
    id: str | None
    """None where the order of the lines says what it answers."""
    text: str | None
    """None where the program noted that there is none, as of a request that failed."""
    ours: Prediction | None = None
    """What a line of gnomon's own says beside it: how boxes are written, in a picture of what size,
    the belief."""


@dataclass(frozen=True, slots=True)
class Answers:
    """All answers of a file."""

    name: str
    id_column: str | None
    said: Sequence[Said]
    others: Mapping[str, list[str]]
    """The columns that are different in each row and hold no texts: one may have the ids."""

    def by_question(self, ids: Sequence[str], *own: Mapping[str, str]) -> dict[str, Said]:
        """Each question's answer, by its id; a question may have none.

        `ids` are the questions' in order. An answer names one by this id, by what a user's own
        labels call it (each of `own` leads from there to the id), or by its place, counted from 0.
        """
        if self.id_column is None:
            if len(self.said) != len(ids):
                raise ValueError(
                    f"{self.name} has {_many(len(self.said), 'answer')} without ids, and there are"
                    f" {_many(len(ids), 'question')}: by the order of the lines each question needs"
                    " one; name the column with ids (--id-column), or how many were asked, as in"
                    f" eval.samples={len(self.said)}"
                )
            return dict(zip(ids, self.said, strict=True))
        names = self._names(ids, own)
        found: dict[str, Said] = {}
        for one in self.said:
            assert one.id is not None
            before = found.setdefault(names[one.id], one)
            if before is not one:
                raise ValueError(
                    f"{self.name}: {one.id!r} is answered in line {before.line} and in line"
                    f" {one.line}: leave one answer to each question"
                )
        return found

    def _names(self, ids: Sequence[str], own: Iterable[Mapping[str, str]]) -> Mapping[str, str]:
        """From what the answers call the questions to their ids."""
        known = [*own, {one: one for one in ids}]
        # Ids from 1 on would each name the question after theirs; lmms-eval's begin with 0.
        if self.id_column == "doc_id" or any(one.id == "0" for one in self.said):
            known.append({str(place): one for place, one in enumerate(ids)})
        if self.counts_from_one(len(ids), known):
            known.append({str(place): one for place, one in enumerate(ids, 1)})
        strangers = [[one for one in self.said if one.id not in names] for names in known]
        names, left = min(zip(known, strangers, strict=True), key=lambda pair: len(pair[1]))
        if left:
            raise ValueError(
                f"{self.name}: {len(left):,} of {_many(len(self.said), 'answer')} with an id that"
                f" none of the {_many(len(ids), 'question')} has: column {self.id_column!r} has"
                f" {left[0].id!r} in line {left[0].line}, a question is {next(iter(names))!r}. Name"
                f" another column (--id-column), or --id-column {NO_COLUMN} to go by the order of"
                " the lines" + self._of_places(len(ids))
            )
        return names

    def counts_from_one(self, n: int, known: Iterable[Mapping[str, str]]) -> bool:
        """Whether the ids are n questions' places from 1 on: of them n is there, 0 is not, and no
        question is called so."""
        said = {one.id for one in self.said}
        there = self.id_column != "doc_id" and "0" not in said and str(n) in said
        return there and not any(said & names.keys() for names in known)

    def _of_places(self, n: int) -> str:
        if not all(one.id and one.id.isdecimal() for one in self.said):
            return ""
        return (
            f". Numbers are places from 0 on where one of them is 0, and from 1 on where one is {n}"
        )


def answers(
    rows: Iterable[tuple[int, Mapping[str, Any]]],
    name: str,
    *,
    id_column: str | None = None,
    text_column: str | None = None,
) -> Answers:
    """The answers in a file's rows; which columns hold ids and texts may be told."""
    # A spreadsheet may end with rows of blank cells.
    held = [(line, row) for line, row in rows if len(row) == 1 or not _blank(row)]
    there = [key for key in dict.fromkeys(key for _, row in held for key in row) if key]
    if not there:
        raise ValueError(f"{name}: there is no answer in it")
    for line, row in held:
        if any(row.get(None, ())):  # type: ignore[call-overload]  # csv's key of what is left over
            raise ValueError(f"{name}: line {line} has more cells than the header has columns")
    for flag, column in (("--id-column", id_column), ("--text-column", text_column)):
        if column not in (None, NO_COLUMN) and column not in there:
            raise ValueError(f"{name}: {flag} {column}: its columns are {', '.join(there)}")
    ids, texts = _columns(name, there, id_column, text_column)
    said = []
    for line, row in held:
        sample_id = None if ids is None else row.get(ids)
        if ids is not None and sample_id in (None, ""):
            raise ValueError(f"{name}: line {line} has no id in column {ids!r}")
        try:
            text = _text(next((row[key] for key in texts if key in row), None))
            ours = prediction_from_json(dict(row)) if row.keys() >= _OURS else None
        except ValueError as error:
            raise ValueError(f"{name}: line {line}: {error}") from error
        said.append(Said(line, None if ids is None else str(sample_id).strip(), text, ours))
    return Answers(
        name, ids, said, _others(held, [key for key in there if key not in (ids, *texts)])
    )


def _others(
    held: Sequence[tuple[int, Mapping[str, Any]]], there: Iterable[str]
) -> dict[str, list[str]]:
    cells = {
        key: [str(row[key]).strip() for _, row in held if isinstance(row.get(key), str | int)]
        for key in there
    }
    return {key: said for key, said in cells.items() if len(set(said)) == len(held)}


def _blank(row: Mapping[str, Any]) -> bool:
    return all(value in (None, "") for value in row.values())


def _columns(
    name: str, there: list[str], id_column: str | None, text_column: str | None
) -> tuple[str | None, tuple[str, ...]]:
    """Which column holds the ids, and which the texts: the first that a row has."""
    usual, texts = next(rest for needed, *rest in _FORMATS if needed <= set(there))
    ids = id_column or _only(name, _named(there, usual), "the ids", "--id-column")
    ids = None if ids == NO_COLUMN else ids
    texts = (text_column,) if text_column else texts
    return ids, texts or (_text_column(name, [key for key in there if key != ids]),)


def _text_column(name: str, there: list[str]) -> str:
    """The only column beside the ids, or the one of a usual name."""
    known = there if len(there) == 1 else _named(there, _TEXTS)
    found = _only(name, known, "the answers", "--text-column")
    if found is None:
        raise ValueError(
            f"{name}: none of its columns has a usual name for answers, such as {_TEXTS[0]} or"
            f" {_TEXTS[1]}; they are {', '.join(there)}: name one with --text-column"
        )
    return found


def _named(there: Iterable[str], usual: Sequence[str]) -> list[str]:
    """The columns of usual names, as a spreadsheet may write them: "Question ID"."""
    return [key for key in there if key.strip().lower().replace(" ", "_") in usual]


def _only(name: str, known: Sequence[str], what: str, flag: str) -> str | None:
    if len(known) > 1:
        raise ValueError(
            f"{name}: its columns {', '.join(known[:-1])} and {known[-1]} may each hold {what}:"
            f" name one with {flag}"
        )
    return known[0] if known else None


def _text(value: Any) -> str | None:
    """What a model said, inside whatever an interface wraps it in."""
    if isinstance(value, str):  # what was cut off in the middle of an emoji cannot be written
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if value is None:
        return None
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    if isinstance(value, dict):
        inner = next((key for key in _INNER if key in value), None)
        if inner is None and "error" not in value:
            raise ValueError(f"an object without a text in it: {', '.join(value)}")
        if inner == "parts":  # Gemini's; its thoughts are no answer
            parts = [one for one in value[inner] if not one.get("thought")]
            return "".join(str(part.get("text", "")) for part in parts)
        return None if inner is None else _text(value[inner])
    assert isinstance(value, list)
    if not value:
        return None
    parts = [one for one in value if isinstance(one, dict)]
    if turns := [part for part in parts if "role" in part]:  # a chat, in which the last one counts
        return _text(turns[-1]) if turns[-1]["role"] == "assistant" else None
    if all("type" in part for part in parts) and len(parts) == len(value):
        return "".join(str(part["text"]) for part in parts if part.get("text"))
    texts = [_text(one) for one in value]
    if len(set(texts)) > 1:
        raise ValueError(f"{len(texts)} answers that differ: leave one to each question")
    return texts[0]


def _many(n: int, what: str) -> str:
    return f"{n:,} {what}" if n == 1 else f"{n:,} {what}s"
