"""Mistakes across rows: contradicting labels, and leaks between splits."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence, Sized
from hashlib import blake2b
from textwrap import shorten

import numpy as np

from gnomon.answers.registry import TYPES
from gnomon.progress import track
from gnomon.store.user_data.checked_pictures import Picture, picture_hash
from gnomon.store.user_data.table import UserRow, UserTable

_EXAMPLES = 3
_ANSWER_LENGTH = 40
"""Characters of an answer in a message."""


def contradictions(tables: Iterable[UserTable]) -> list[str]:
    """Return a line per table with rows that answer the same question about a picture
    differently."""
    distinct = {(table.name, table.content): table for table in tables}
    return [text for text in map(_contradictions, distinct.values()) if text]


def leaks(parts: Sequence[UserTable]) -> list[str]:
    """Return a line about pictures in several splits, also under other file names. Empty if there
    are none."""
    contents = _contents(picture for part in parts for row in part.rows for picture in row.pictures)
    rows_by_content: dict[Hashable, dict[str, tuple[UserTable, UserRow, Picture]]] = defaultdict(
        dict
    )
    for part in parts:
        for row in part.rows:
            for picture in row.pictures:
                rows_by_content[contents[picture]].setdefault(part.split, (part, row, picture))
    shared = [by_split for by_split in rows_by_content.values() if len(by_split) > 1]
    if not shared:
        return []
    many = "1 picture occurs" if len(shared) == 1 else f"{len(shared):,} pictures occur"
    examples = [
        " is ".join(
            f"{_name(picture)} ({part.split}, {part.name} line {row.line})"
            for part, row, picture in by_split.values()
        )
        for by_split in shared[:_EXAMPLES]
    ]
    return [
        f"{many} in several splits, so training data is tested:"
        f" {_some(examples, shared)}; give rows of one picture the same value in the column of"
        " columns.split or columns.group"
    ]


def similar_groups(parts: Sequence[UserTable]) -> list[str]:
    """Return a line about groups in several splits whose names differ by blanks or capitals."""
    spellings: dict[str, dict[str, tuple[UserTable, UserRow]]] = defaultdict(dict)
    for part in parts:
        # Without a group column these are names of pictures, which may well be similar.
        if part.origin.get("columns", {}).get("group"):
            for row in part.rows:
                spellings["".join(row.group.casefold().split())].setdefault(row.group, (part, row))
    shared = [
        by_name
        for by_name in spellings.values()
        if len(by_name) > 1 and len({part.split for part, _ in by_name.values()}) > 1
    ]
    examples = [
        " and ".join(
            f"{group!r} ({part.split}, {part.name} line {row.line})"
            for group, (part, row) in by_name.items()
        )
        for by_name in shared[:_EXAMPLES]
    ]
    return [
        "groups that differ only in blanks or capitals fall into several splits, so training"
        f" data is tested: {_some(examples, shared)}; write each group in one way"
    ] * bool(shared)


def _contradictions(table: UserTable) -> str:
    contents = _contents(table.pictures)
    numbers = {content: number for number, content in enumerate(dict.fromkeys(contents.values()))}

    def question_of(row: UserRow) -> Hashable:
        return (row.question, *[numbers[contents[picture]] for picture in row.pictures])

    first: dict[Hashable, UserRow] = {}
    conflicts: dict[Hashable, list[UserRow]] = {}
    suspects = _suspects(table.rows, question_of)
    for row in table.rows if suspects else ():
        question = question_of(row)
        # By the hash only, so the rows of a table need not be kept.
        if hash(question) not in suspects:
            continue
        other = first.setdefault(question, row)
        if not _agree(row, other):
            rows = conflicts.setdefault(question, [other])
            if len(rows) < _EXAMPLES:
                rows.append(row)
    if not conflicts:
        return ""
    many = "1 question has" if len(conflicts) == 1 else f"{len(conflicts):,} questions have"
    examples = [_conflict(rows) for rows in list(conflicts.values())[:_EXAMPLES]]
    return (
        f"{table.name}: {many} different answers: {_some(examples, conflicts)}; keep the right ones"
    )


def _suspects(rows: Sequence[UserRow], question_of: Callable[[UserRow], Hashable]) -> set[int]:
    """Return the hashes of questions whose answers are not all written the same.

    Two hashes of 8 bytes replace the question and the answer of each row, which would need as much
    memory as the table. A difference is missed with a probability of 1 in 10^19.
    """
    hashes = np.empty(len(rows), [("question", np.int64), ("answer", np.int64)])
    for index, row in enumerate(rows):
        # Answers do not use hash(), which is the same for -1 and -2.
        digest = blake2b(repr(row.target).encode(), digest_size=8).digest()
        answer = int.from_bytes(digest, "little", signed=True)
        hashes[index] = hash(question_of(row)), answer
    hashes.sort(order=("question", "answer"))
    questions, answers = hashes["question"], hashes["answer"]
    conflicts = (questions[1:] == questions[:-1]) & (answers[1:] != answers[:-1])
    return set(questions[1:][conflicts].tolist())


def _conflict(rows: Sequence[UserRow]) -> str:
    """Describe the first rows of a question, with their answers."""
    answers = [
        f"line {row.line} says {shorten(row.target.display(), _ANSWER_LENGTH, placeholder=' …')}"
        for row in rows[:_EXAMPLES]
    ]
    of = f" of {_name(rows[0].pictures[0])}" if rows[0].pictures else ""
    return " and ".join(answers) + of


def _agree(row: UserRow, other: UserRow) -> bool:
    """Return True if both rows have the same answer, by the measure of its type."""
    if row.target == other.target:
        return True
    if row.target.type_name != other.target.type_name:
        return False
    answer_type = TYPES[row.target.type_name]
    return answer_type.is_same(answer_type.value_of(row.target), answer_type.value_of(other.target))


def _contents(pictures: Iterable[Picture]) -> dict[Picture, Hashable]:
    """Return a key per picture, equal for equal bytes."""
    distinct = dict.fromkeys(pictures)
    bar = track(distinct, desc="comparing pictures", unit=" pictures", delay=2)
    return {picture: _hash(picture) for picture in bar}


def _hash(picture: Picture) -> Hashable:
    try:
        return picture_hash(picture)
    except OSError:  # the file was removed since its row was read
        return picture


def _name(picture: Picture) -> str:
    return "a picture" if isinstance(picture, bytes) else picture.name


def _some(examples: Sequence[str], every: Sized) -> str:
    """Join the examples, and say how many more there are."""
    more = f"; and {len(every) - _EXAMPLES:,} more" if len(every) > _EXAMPLES else ""
    return "; ".join(examples) + more
