"""Answers in files of other programs: which column has the ids and which the texts.

Recognized by their columns are

- lmms-eval's samples_*.jsonl: `doc_id`, `filtered_resps`, and `resps` where a filter changed them
  (lmms_eval/loggers/evaluation_tracker.py);
- the output of OpenAI's batch API and of `vllm run-batch`: `custom_id`, `response`
  (platform.openai.com/docs/api-reference/batch; vllm/entrypoints/openai/run_batch.py);
- the output of Gemini's and Anthropic's batches: `key`, `response`; `custom_id`, `result`
  (ai.google.dev/gemini-api/docs/batch-api; docs.claude.com/en/docs/build-with-claude);
- chat completions and chats, a line each: `choices`, `candidates`, `messages`.

Any other file needs columns of the usual names, or the user names them.
"""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gnomon.jsons import shape_error
from gnomon.sample import Prediction, prediction_from_json

ID_COLUMNS = ("sample_id", "id", "custom_id", "question_id", "doc_id", "index", "idx")
"""Usual names of a column of ids, as lmms-eval, OpenAI and spreadsheets have them."""
REQUEST_COLUMNS = ("custom_id", "key")
"""Columns of ids that a user gives to the requests of a batch."""
# Usual names of a column of answers.
_TEXTS = ("text", "prediction", "pred", "answer", "model_answer", "response", "output",
          "model_output", "completion", "generation", "generated_text", "resps")  # fmt: skip
# Columns that identify a format; those that may hold the ids; those that may hold a row's text, the
# first that the row has, or else one of a usual name.
_FORMATS: tuple[tuple[set[str], tuple[str, ...], tuple[str, ...]], ...] = (
    ({"custom_id", "response"}, ("custom_id",), ("response",)),
    ({"custom_id", "result"}, ("custom_id",), ("result",)),
    ({"key", "response"}, ("key",), ("response",)),
    ({"candidates"}, ID_COLUMNS, ("candidates",)),
    ({"doc_id", "filtered_resps"}, ("doc_id",), ("resps", "filtered_resps")),
    # A chat completion's `id` is its own.
    ({"choices"}, tuple(name for name in ID_COLUMNS if name != "id"), ("choices",)),
    ({"messages"}, ID_COLUMNS, ("messages",)),
    (set(), ID_COLUMNS, ()),
)
# Keys that lead to the text of a response, from the outside in.
_INNER = ("body", "choices", "candidates", "message", "content", "parts", "text", "output")
# Keys of a response that may lack its text: a filter blocked it, or it ended in its thoughts.
_UNANSWERED = {
    *("error", "finishReason", "finish_reason", "promptFeedback", "refusal", "role"),
    *("usageMetadata", "usage", "status_code"),
}
# Columns of gnomon's own predictions.
_OURS = {"sample_id", "text", "dialect"}
NO_COLUMN = "none"
"""Name that the user gives instead of a column of ids if the order of the lines counts."""


@dataclass(frozen=True, slots=True)
class AnswerLine:
    """Answer in one line of a file."""

    line: int
    id: str
    """Empty if the order of the lines tells the question."""
    text: str | None
    """None if the program recorded that there is none, as for a request that failed."""
    prediction: Prediction | None = None
    """Prediction of gnomon, which adds the dialect of boxes, the picture's size and the belief."""
    cells: Mapping[str, str] = field(default_factory=dict)
    """Cells that may repeat what the labels say of the question, by column."""


@dataclass(frozen=True, slots=True)
class MatchedAnswers:
    """Answers of a file, before they are matched with questions."""

    name: str
    id_column: str | None
    """None if the order of the lines tells the questions."""
    lines: Sequence[AnswerLine]

    def by_question(
        self, ids: Sequence[str], *user_names: Mapping[str, str]
    ) -> dict[str, AnswerLine]:
        """Match the answers with questions; return them by question id. A question may have none.

        `ids` are the questions' in order. An answer names its question by this id, by what a user's
        labels call it (each of `user_names` leads from there to the id, or to an empty text if
        several questions share that name), or by its position.
        """
        # Without ids only equal counts make the order of the lines trustworthy.
        if self.id_column is None:
            if len(self.lines) != len(ids):
                raise ValueError(
                    f"{self.name} has {len(self.lines):,} answers without ids, and there are"
                    f" {len(ids):,} questions: by the order of the lines each question needs one;"
                    " name the column with ids (--id-column), or how many were asked, as in"
                    f" eval.samples={len(self.lines)}"
                )
            return dict(zip(ids, self.lines, strict=True))
        names = self._names(ids, user_names)
        matches: dict[str, AnswerLine] = {}
        for line in self.lines:
            first = matches.setdefault(names[line.id], line)
            if first is not line:
                raise ValueError(
                    f"{self.name}: {line.id!r} is answered in line {first.line} and in line"
                    f" {line.line}: leave one answer to each question"
                )
        return matches

    def _names(
        self, ids: Sequence[str], user_names: Sequence[Mapping[str, str]]
    ) -> Mapping[str, str]:
        """Choose the mapping from the answers' names of questions to ids that misses fewest."""
        mappings = _all_names(ids, user_names)
        if (start := self.counts_from(ids, *user_names)) is not None:
            mappings.append({str(index): sample_id for index, sample_id in enumerate(ids, start)})
        misses = [[line for line in self.lines if not names.get(line.id)] for names in mappings]
        # The mapping with the fewest strangers is meant; the message then shows what is still
        # unmatched.
        names, unmatched = min(zip(mappings, misses, strict=True), key=lambda pair: len(pair[1]))
        if unmatched and unmatched[0].id in names:
            raise ValueError(
                f"{self.name}: {unmatched[0].id!r} in line {unmatched[0].line} is the name of"
                " several questions: give each question a name of its own in the file with the"
                " labels, or name another column (--id-column)"
            )
        if unmatched:
            raise ValueError(
                f"{self.name}: {len(unmatched):,} of {len(self.lines):,} answers have an id that"
                f" none of the {len(ids):,} questions has: column {self.id_column!r} has"
                f" {unmatched[0].id!r} in line {unmatched[0].line}, a question is"
                f" {next(iter(names))!r}. Name another column (--id-column), or --id-column"
                f" {NO_COLUMN} to go by the order of the lines. Numbers count the questions from 0"
                f" if one of them is 0, and from 1 if one is {len(ids)}: if that answer is missing,"
                " add a line for it with an empty text"
            )
        return names

    def counts_from(self, ids: Sequence[str], *user_names: Mapping[str, str]) -> int | None:
        """Return the first number if the answers' ids count the questions; None if they do not.

        They count from 0 if 0 is among them, and from 1 if n is. Without either nobody can tell,
        not even of lmms-eval's `doc_id`, which some tables count from 1.
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
        """Refuse an answer whose line names another question than the one it was matched with.

        `columns` are names of columns with a cell for each question of `ids`. A cell that is no
        other question's says nothing: the labels may have been corrected since.
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
    """List the mappings from names of questions to ids, positions left out."""
    mappings = [*user_names, {sample_id: sample_id for sample_id in ids}]
    return mappings + [bare for names in mappings if (bare := _without_zeros(names))]


def _without_zeros(names: Mapping[str, str]) -> dict[str, str]:
    """Numbered names as a spreadsheet writes them, 1 for 001; empty where two would be alike."""
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
    """Parse the rows of a file; the user may name the columns with ids and texts.

    Cells of the `label_columns` stay with the answers.
    """
    # A spreadsheet may end with rows of blank cells.
    filled = [
        (line, row) for line, row in rows if len(row) == 1 or any(map(_has_value, row.values()))
    ]
    columns = [key for key in dict.fromkeys(key for _, row in filled for key in row) if key]
    if not columns:
        raise ValueError(f"{name}: there is no answer in it")
    for flag, column in (("--id-column", id_column), ("--text-column", text_column)):
        if column not in (None, NO_COLUMN, *columns):
            raise ValueError(f"{name}: {flag} {column}: its columns are {', '.join(columns)}")
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
        # Rows may differ: lmms-eval writes resps only where a filter changed them.
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
    """Return the plain cells of some columns, as ids are written."""
    inner = row.get("doc")  # lmms-eval's copy of the labels' row
    source = {**inner, **row} if isinstance(inner, dict) else row
    cells = {key: source.get(key) for key in columns}
    return {key: id_text(cell) for key, cell in cells.items() if isinstance(cell, str | int)}


def id_text(value: Any) -> str:
    """Write an id as a text; a whole number that a blank cell made a float, 7.0, is 7."""
    text = "" if value is None else str(value).strip()
    return text[:-2] if text.endswith(".0") and text[:-2].isdecimal() else text


def _has_value(value: Any) -> bool:
    """True for a cell that is not blank; 0 and False are values."""
    return value not in (None, "")


def _columns(
    name: str, columns: list[str], id_column: str | None, text_column: str | None
) -> tuple[str | None, tuple[str, ...]]:
    """Return the column of the ids, None for the order of lines, and the columns that may hold a
    text."""
    # Formats are listed from the most particular to any table; the last needs no column.
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
                f"{name}: none of its columns has a usual name for answers, such as {_TEXTS[0]} or"
                f" {_TEXTS[1]}; they are {', '.join(other_columns)}: name one with --text-column"
            )
        texts = (column,)
    if ids is None and not needed and len(columns) > 1:
        raise ValueError(
            f"{name}: none of its columns {', '.join(columns)} has a usual name for ids: name the"
            f" one that tells the questions with --id-column, or say --id-column {NO_COLUMN} to go"
            " by the order of the lines"
        )
    return None if ids == NO_COLUMN else ids, texts


def _usual_column(name: str, columns: Iterable[str], usual: Sequence[str], flag: str) -> str | None:
    """Find the column of a usual name, as a spreadsheet may write it: "Question ID"."""
    matches = [key for key in columns if key.strip().lower().replace(" ", "_") in usual]
    if len(matches) > 1:
        raise ValueError(
            f"{name}: its columns {', '.join(matches)} all have usual names: name one with {flag}"
        )
    return matches[0] if matches else None


def _text(value: Any) -> str | None:
    """Unwrap a model's text from whatever an interface puts around it; None if it gave no
    answer."""
    if isinstance(value, str):  # what was cut off in the middle of an emoji cannot be written
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if value is None:
        return None
    # JSON's spelling: true, not True.
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    if isinstance(value, dict):
        return _text_of_object(value)
    if isinstance(value, list):
        return _text_of_list(value)
    raise shape_error("the answer", value, "give a text")


def _text_of_object(value: dict[str, Any]) -> str | None:
    """Text at the first inner key; None for a response that records why it has none."""
    # The outermost key first: OpenAI's body holds choices, these a message, this its content.
    inner = next((key for key in _INNER if key in value), None)
    if inner is None:
        if value and not value.keys() & _UNANSWERED:
            raise ValueError(f"an object without a text in it: {', '.join(map(str, value))}")
        return None
    if inner == "parts" and isinstance(value[inner], list):  # Gemini's; its thoughts are no answer
        answer_parts = [part for part in value[inner] if not _is_thought(part)]
        return "".join(_text(part) or "" for part in answer_parts)
    return _text(value[inner])


def _is_thought(part: Any) -> bool:
    """True for a thought, and for a part without a text, such as a call of a function."""
    return isinstance(part, dict) and (bool(part.get("thought")) or "text" not in part)


def _text_of_list(value: list[Any]) -> str | None:
    """Text of a chat's last turn, of parts put together, or of answers that are all the same."""
    if not value:
        return None
    parts = [entry for entry in value if isinstance(entry, dict)]
    if turns := [part for part in parts if "role" in part]:  # a chat, in which the last one counts
        return _text(turns[-1]) if turns[-1]["role"] in ("assistant", "model") else None
    # Parts of one message, as OpenAI's and Anthropic's interfaces write them.
    if all("type" in part for part in parts) and len(parts) == len(value):
        return "".join(_text(part.get("text")) or "" for part in parts)
    # Several samples of one question count as one answer only if they agree.
    texts = [_text(entry) for entry in value]
    if len(set(texts)) > 1:
        raise ValueError(f"{len(texts)} answers that differ: leave one to each question")
    return texts[0]
