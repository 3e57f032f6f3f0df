"""Read answers from files of other programs: find the columns with ids and texts.

gnomon recognizes these formats by their columns:

- lmms-eval's samples_*.jsonl: `doc_id`, `filtered_resps`, and `resps` if a filter changed them
  (lmms_eval/loggers/evaluation_tracker.py);
- the output of OpenAI's batch API and of `vllm run-batch`: `custom_id`, `response`
  (platform.openai.com/docs/api-reference/batch; vllm/entrypoints/openai/run_batch.py);
- the output of Gemini's and Anthropic's batches: `key`, `response`; `custom_id`, `result`
  (ai.google.dev/gemini-api/docs/batch-api; docs.claude.com/en/docs/build-with-claude);
- chat completions and chats, one on each line: `choices`, `candidates`, `messages`.

Other files need columns with usual names. Otherwise, the user has to name the columns.
"""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gnomon.jsons import shape_error
from gnomon.sample import Prediction, prediction_from_json

ID_COLUMNS = ("sample_id", "id", "custom_id", "question_id", "doc_id", "index", "idx")
"""Usual names of a column with ids, in lmms-eval, OpenAI and spreadsheets."""
REQUEST_COLUMNS = ("custom_id", "key")
"""Columns with ids that a user gave to the requests of a batch."""
# Usual names of a column with answers.
_TEXTS = ("text", "prediction", "pred", "answer", "model_answer", "response", "output",
          "model_output", "completion", "generation", "generated_text", "resps")  # fmt: skip
# For each format: columns that identify it, columns that may hold ids, and columns that may hold
# texts. The first of these in a row has its text. Without them, a column with a usual name has it.
_FORMATS: tuple[tuple[set[str], tuple[str, ...], tuple[str, ...]], ...] = (
    ({"custom_id", "response"}, ("custom_id",), ("response",)),
    ({"custom_id", "result"}, ("custom_id",), ("result",)),
    ({"key", "response"}, ("key",), ("response",)),
    ({"candidates"}, ID_COLUMNS, ("candidates",)),
    ({"doc_id", "filtered_resps"}, ("doc_id",), ("resps", "filtered_resps")),
    # The `id` of a chat completion is not the id of a question.
    ({"choices"}, tuple(name for name in ID_COLUMNS if name != "id"), ("choices",)),
    ({"messages"}, ID_COLUMNS, ("messages",)),
    (set(), ID_COLUMNS, ()),
)
# Keys that lead to the text of a response, the outermost first.
_INNER = ("body", "choices", "candidates", "message", "content", "parts", "text", "output")
# Keys of a response without text: a filter blocked it, or it ended during its thoughts.
_UNANSWERED = {
    *("error", "finishReason", "finish_reason", "promptFeedback", "refusal", "role"),
    *("usageMetadata", "usage", "status_code"),
}
# Columns of predictions that gnomon wrote.
_OURS = {"sample_id", "text", "dialect"}
NO_COLUMN = "none"
"""Name that the user gives instead of an id column, to match answers by the order of lines."""


@dataclass(frozen=True, slots=True)
class AnswerLine:
    """The answer in one line of a file."""

    line: int
    id: str
    """Id of the question. It is empty if answers are matched by the order of lines."""
    text: str | None
    """Text of the answer, or None if the program recorded a failure."""
    prediction: Prediction | None = None
    """The prediction, if gnomon wrote it, with its dialect, picture size and belief."""
    cells: Mapping[str, str] = field(default_factory=dict)
    """Cells by column that may repeat the question's cells in the labels, for `check_columns`."""


@dataclass(frozen=True, slots=True)
class MatchedAnswers:
    """The answers of a file, and a method to match them with questions."""

    name: str
    id_column: str | None
    """None if answers are matched by the order of lines."""
    lines: Sequence[AnswerLine]

    def by_question(
        self, ids: Sequence[str], *user_names: Mapping[str, str]
    ) -> dict[str, AnswerLine]:
        """Return the answers by question id. Questions without an answer are left out.

        `ids` are the ids of the questions in order. An answer names its question by this id, by a
        name from the user's labels, or by its position. Each of `user_names` maps names to ids. A
        name maps to "" if several questions have it.
        """
        # Without ids, the order of lines can be trusted only if the counts are equal.
        if self.id_column is None:
            if len(self.lines) != len(ids):
                raise ValueError(
                    f"{self.name} has {len(self.lines):,} answers without ids for {len(ids):,}"
                    " questions: to match them by the order of lines, each question needs one"
                    " answer: name the column with ids (--id-column), or set the number of"
                    f" questions, for example eval.samples={len(self.lines)}"
                )
            return dict(zip(ids, self.lines, strict=True))
        names = self._names(ids, user_names)
        matches: dict[str, AnswerLine] = {}
        for line in self.lines:
            first = matches.setdefault(names[line.id], line)
            if first is not line:
                raise ValueError(
                    f"{self.name}: {line.id!r} is answered in line {first.line} and in line"
                    f" {line.line}: keep one answer to each question"
                )
        return matches

    def _names(
        self, ids: Sequence[str], user_names: Sequence[Mapping[str, str]]
    ) -> Mapping[str, str]:
        """Return the mapping from names to question ids that covers all names in the file.

        Raises a ValueError if a name is ambiguous or unknown.
        """
        mappings = _all_names(ids, user_names)
        if (start := self.counts_from(ids, *user_names)) is not None:
            mappings.append({str(index): sample_id for index, sample_id in enumerate(ids, start)})
        misses = [[line for line in self.lines if not names.get(line.id)] for names in mappings]
        # Use the mapping with the fewest misses. The message then shows only these.
        names, unmatched = min(zip(mappings, misses, strict=True), key=lambda pair: len(pair[1]))
        if unmatched and unmatched[0].id in names:
            raise ValueError(
                f"{self.name}: {unmatched[0].id!r} in line {unmatched[0].line} is the name of"
                " several questions: give each question a different name in the file with the"
                " labels, or name another column (--id-column)"
            )
        if unmatched:
            raise ValueError(
                f"{self.name}: {len(unmatched):,} of {len(self.lines):,} answers have an id that"
                f" is not among the {len(ids):,} questions: column {self.id_column!r} has"
                f" {unmatched[0].id!r} in line {unmatched[0].line}, while a question is"
                f" {next(iter(names))!r}. Name another column (--id-column), or give --id-column"
                f" {NO_COLUMN} to match by the order of lines. Numbers as ids count from 0 if 0 is"
                f" among them, and from 1 if {len(ids)} is: if that answer is missing, add a line"
                " for it with an empty text"
            )
        return names

    def counts_from(self, ids: Sequence[str], *user_names: Mapping[str, str]) -> int | None:
        """Return the first number if the answers' ids count the questions, else None.

        They count from 0 if 0 is among them, and from 1 if the number of questions is. Otherwise,
        the start is unknown, even for lmms-eval's `doc_id`, which some tables count from 1.
        """
        numbers = {line.id for line in self.lines}
        if any(numbers & names.keys() for names in _all_names(ids, user_names)):
            return None
        if "0" in numbers:
            return 0
        return 1 if str(len(ids)) in numbers else None

    def check_columns(
        self,
        matches: Mapping[str, AnswerLine],
        ids: Sequence[str],
        columns: Iterable[tuple[str, Sequence[str]]],
    ) -> None:
        """Raise a ValueError if a line names another question than the question it is matched with.

        `columns` are names of columns with a cell for each question of `ids`. A cell that does not
        belong to any question is ignored, because the labels may have been corrected.
        """
        by_column = f"by column {self.id_column!r}" if self.id_column else "by its place"
        for name, cells in columns:
            every_cell = {*cells}
            for question_id, cell in zip(ids, cells, strict=True):
                line = matches.get(question_id)
                words = "" if line is None else line.cells.get(name, "")
                if line is not None and words and words != cell and words in every_cell:
                    raise ValueError(
                        f"{self.name}: line {line.line} names the {name} {words!r}, but {by_column}"
                        f" it answers {cell!r}: name the column that tells the questions"
                        " (--id-column)"
                    )


def _all_names(
    ids: Sequence[str], user_names: Sequence[Mapping[str, str]]
) -> list[Mapping[str, str]]:
    """List the mappings from names of questions to ids, except for numbers as positions."""
    mappings = [*user_names, {sample_id: sample_id for sample_id in ids}]
    return mappings + [bare for names in mappings if (bare := _without_zeros(names))]


def _without_zeros(names: Mapping[str, str]) -> dict[str, str]:
    """Return the mapping for numeric names without leading zeros, as spreadsheets write them.

    It is empty if two names would become equal, or if no name changes.
    """
    bare = {name.lstrip("0") or "0": id_ for name, id_ in names.items() if name.isdecimal()}
    return bare if len(bare) == len(names) and bare.keys() != names.keys() else {}


def parse_answers(
    rows: Iterable[tuple[int, Mapping[str, Any]]],
    name: str,
    *,
    id_column: str | None = None,
    text_column: str | None = None,
    label_columns: Collection[str] = (),
) -> MatchedAnswers:
    """Parse (line number, row) pairs of a file. The user may name the columns with ids and texts.

    The cells of `label_columns` are kept with the answers, for `check_columns`.
    """
    # A spreadsheet may end with rows of blank cells.
    filled = [
        (line, row) for line, row in rows if len(row) == 1 or any(map(_has_value, row.values()))
    ]
    columns = [key for key in dict.fromkeys(key for _, row in filled for key in row) if key]
    if not columns:
        raise ValueError(f"{name}: it has no answers: give a file with a line for each answer")
    for flag, column in (("--id-column", id_column), ("--text-column", text_column)):
        if column not in (None, NO_COLUMN, *columns):
            raise ValueError(f"{name}: {flag} {column}: give one of {', '.join(columns)}")
    ids, texts = _columns(name, columns, id_column, text_column)
    lines = []
    for line, row in filled:
        sample_id = "" if ids is None else row.get(ids)
        if ids is not None and not _has_value(sample_id):
            raise ValueError(f"{name}: line {line} has no id in column {ids!r}")
        if isinstance(sample_id, dict | list):
            raise shape_error(
                f"{name}: line {line}: column {ids!r}", sample_id, "give a text or a number"
            )
        # Rows may differ: lmms-eval writes resps only if a filter changed them.
        column = next((key for key in texts if key in row), texts[0])
        try:
            text = _text(row.get(column))
            prediction = prediction_from_json(dict(row)) if row.keys() >= _OURS else None
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{name}: line {line}: column {column!r}: {error}") from error
        cells = _cells(row, [key for key in label_columns if key not in (ids, column)])
        lines.append(AnswerLine(line, id_text(sample_id), text, prediction, cells))
    return MatchedAnswers(name, ids, lines)


def _cells(row: Mapping[str, Any], columns: Iterable[str]) -> dict[str, str]:
    """Return the texts and whole numbers in some columns, formatted as ids."""
    inner = row.get("doc")  # lmms-eval's copy of the labels' row
    source = {**inner, **row} if isinstance(inner, dict) else row
    cells = {key: source.get(key) for key in columns}
    return {key: id_text(cell) for key, cell in cells.items() if isinstance(cell, str | int)}


def id_text(value: Any) -> str:
    """Format an id as text.

    A blank cell in a column turns whole numbers into floats, so 7.0 becomes "7".
    """
    text = "" if value is None else str(value).strip()
    return text[:-2] if text.endswith(".0") and text[:-2].isdecimal() else text


def _has_value(value: Any) -> bool:
    """Return True if a cell is not blank. 0 and False are not blank."""
    return value not in (None, "")


def _columns(
    name: str, columns: list[str], id_column: str | None, text_column: str | None
) -> tuple[str | None, tuple[str, ...]]:
    """Return the column with ids and the columns that may hold a text.

    The id column is None if answers are matched by the order of lines.
    """
    # Specific formats come first. The last format fits any table.
    needed, usual_ids, texts = next(format_ for format_ in _FORMATS if format_[0] <= set(columns))
    ids = id_column or _usual_column(name, columns, usual_ids, "--id-column")
    other_columns = [key for key in columns if key != ids]
    if text_column or not texts:
        column = text_column or (
            other_columns[0]
            if len(other_columns) == 1
            else _usual_column(name, other_columns, _TEXTS, "--text-column")
        )
        if column is None:
            raise ValueError(
                f"{name}: no column has a usual name for answers, such as {_TEXTS[0]} or"
                f" {_TEXTS[1]}: name one of {', '.join(other_columns)} with --text-column"
            )
        texts = (column,)
    if ids is None and not needed and len(columns) > 1:
        raise ValueError(
            f"{name}: no column has a usual name for ids: name one of {', '.join(columns)} with"
            f" --id-column, or give --id-column {NO_COLUMN} to match by the order of lines"
        )
    return None if ids == NO_COLUMN else ids, texts


def _usual_column(name: str, columns: Iterable[str], usual: Sequence[str], flag: str) -> str | None:
    """Return the column with a usual name, also in the form "Question ID", or None."""
    matches = [key for key in columns if key.strip().lower().replace(" ", "_") in usual]
    if len(matches) > 1:
        raise ValueError(
            f"{name}: the columns {', '.join(matches)} all have usual names: name one with {flag}"
        )
    return matches[0] if matches else None


def _text(value: Any) -> str | None:
    """Extract the model's text from the object that an interface returned.

    Returns None if the object records a failure.
    """
    if isinstance(value, str):  # an emoji may be cut in half, and could not be written to a file
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if value is None:
        return None
    # Spell values as JSON does: true instead of True.
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    if isinstance(value, dict):
        return _text_of_object(value)
    if isinstance(value, list):
        return _text_of_list(value)
    raise shape_error("the answer", value, "give a text")


def _text_of_object(value: dict[str, Any]) -> str | None:
    """Return the text at the first of `_INNER`, or None if the response records a failure."""
    # The outermost key first: OpenAI's body has choices, which have a message with content.
    inner = next((key for key in _INNER if key in value), None)
    if inner is None:
        if value and not value.keys() & _UNANSWERED:
            raise ValueError(f"an object without a text, with keys {', '.join(map(str, value))}")
        return None
    if inner == "parts" and isinstance(value[inner], list):  # Gemini's parts include thoughts
        answer_parts = [part for part in value[inner] if not _is_thought(part)]
        return "".join(_text(part) or "" for part in answer_parts)
    return _text(value[inner])


def _is_thought(part: Any) -> bool:
    """Return True for a part that is a thought or has no text, such as a function call."""
    return isinstance(part, dict) and (bool(part.get("thought")) or "text" not in part)


def _text_of_list(value: list[Any]) -> str | None:
    """Return the text of a chat's last turn, of joined parts, or of several equal answers."""
    if not value:
        return None
    parts = [entry for entry in value if isinstance(entry, dict)]
    if turns := [part for part in parts if "role" in part]:  # a chat: its last turn is the answer
        return _text(turns[-1]) if turns[-1]["role"] in ("assistant", "model") else None
    # Parts of one message, as OpenAI's and Anthropic's interfaces write them.
    if all("type" in part for part in parts) and len(parts) == len(value):
        return "".join(_text(part.get("text")) or "" for part in parts)
    # Several answers to a question count as one answer only if they are equal.
    texts = [_text(entry) for entry in value]
    if len(set(texts)) > 1:
        raise ValueError(f"{len(texts)} answers that differ: keep one answer to each question")
    return texts[0]
