"""Chats in the formats of trainers, turned into a row per question with its answer.

The formats are `messages` of TRL, LLaMA-Factory, ms-swift, OpenAI and Anthropic, `conversations` of
LLaVA and ShareGPT, and TRL's `prompt` with `completion`. A text may be a plain string, a part, or a
list of parts. A picture may be in any of the keys of these interfaces. Anything else is refused
with its place, such as messages.1.content.
"""

from base64 import b64decode
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from gnomon import jsons
from gnomon.jsons import shape_error
from gnomon.recipe import Columns

_TURNS = (("messages",), ("conversations",), ("prompt", "completion"))
# Roles of TRL's columns that hold texts without roles.
_SPEAKERS = {"prompt": "user", "completion": "assistant"}
# Roles by their names in the interfaces. Turns of tools are left out.
_ROLES = {
    **dict.fromkeys(("user", "human"), "user"),
    **dict.fromkeys(("assistant", "gpt", "chatgpt", "model", "bot"), "assistant"),
    **dict.fromkeys(("system", "developer"), "system"),
    **dict.fromkeys(("tool", "function", "function_call", "observation"), "tool"),
}
_PICTURES = ("image", "image_url", "path", "url", "source")
"""Keys of a part's picture."""
# Mark of a picture within the text, which our own chat templates insert.
_PLACEHOLDER = "<image>"


@dataclass(frozen=True)
class _Turn:
    """Message with its pictures."""

    role: str
    text: str
    pictures: list[Any]


def has_chats(names: Collection[str], columns: Columns) -> bool:
    """Return True if rows with these columns have their answers in chats, not in a column."""
    has_answers = columns.answer != Columns.answer or columns.answer in names
    return not has_answers and any(set(turns) <= set(names) for turns in _TURNS)


def chat_questions(raw: dict[str, Any], columns: Columns) -> list[dict[str, Any]]:
    """Return a row per question of a chat with its answer, and with all pictures up to it.

    Earlier questions are left out of the row, and the system's text is put before the question. The
    row's own columns take precedence.
    """
    rows: list[dict[str, Any]] = []
    pictures: list[Any] = []
    system, question = "", None
    for turn in _turns(raw):
        pictures += turn.pictures
        if turn.role == "system":
            system = turn.text
        elif turn.role == "user":
            question = f"{system}\n{turn.text}".strip()
        elif turn.role == "assistant" and question is not None:
            # A column for the question overrides the chat's text.
            row = {columns.question: question, **raw, columns.answer: turn.text}
            if columns.image is not None:
                # The row's own column, or the chat's pictures so far, or TRL's separate list.
                row[columns.image] = raw.get(columns.image) or [*pictures] or raw.get("images")
                if not row[columns.image]:
                    raise ValueError("its chat has no picture (columns.image: null for text alone)")
            rows.append(row)
            # An answer without its own question cannot be trained on.
            question = None
    if not rows:
        raise ValueError("its chat has no question with an answer")
    return rows


def _turns(raw: dict[str, Any]) -> Iterator[_Turn]:
    for column in next(columns for columns in _TURNS if columns[0] in raw):
        chat = raw.get(column)
        if isinstance(chat, str) and column in _SPEAKERS:
            yield _Turn(_SPEAKERS[column], chat.replace(_PLACEHOLDER, "").strip(), [])
            continue
        if isinstance(chat, str) and chat.lstrip().startswith("["):  # a cell of a table
            chat = jsons.loads(chat, column)
        if not isinstance(chat, list):
            raise shape_error(column, chat, "its chat is not a list of turns")
        for number, turn in enumerate(chat):
            yield _turn(turn, f"{column}.{number}")


def _turn(turn: Any, path: str) -> _Turn:
    if not isinstance(turn, dict):
        raise shape_error(path, turn, "give a turn with role and content")
    # ShareGPT uses from and value, all others role and content.
    role_key = "from" if turn.get("role") is None else "role"
    role = turn.get(role_key)
    if not isinstance(role, str) or role not in _ROLES:
        raise shape_error(f"{path}.{role_key}", role, "give user, assistant or system")
    key = next(
        (key for key in ("content", "value", "text") if turn.get(key) is not None), "content"
    )
    texts: list[str] = []
    pictures: list[Any] = []
    for text, picture in _content(turn.get(key), f"{path}.{key}"):
        texts += [text] if text else []
        pictures += [picture] if picture else []
    return _Turn(_ROLES[role], "\n".join(texts).replace(_PLACEHOLDER, "").strip(), pictures)


def _content(content: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Yield text and picture of each part. Usually one of them is empty."""
    if content is None:
        return
    if isinstance(content, dict | str | int | float):
        yield _part(content, path)
    elif isinstance(content, list):
        for number, part in enumerate(content):
            yield _part(part, f"{path}.{number}")
    else:
        raise shape_error(path, content, "give a text or a list of parts")


def _part(part: Any, path: str) -> tuple[str, Any]:
    if not isinstance(part, dict):
        return _text(part, path), None
    text = _text(part.get("text"), f"{path}.text")
    key = next((key for key in _PICTURES if part.get(key) is not None), None)
    picture = _picture(part[key], f"{path}.{key}") if key else None
    # A part with a type may be empty. Anything else is not understood.
    if not (text or picture or {"type", "text"} & part.keys()):
        raise shape_error(path, part, "give text, image or image_url")
    return text, picture


def _text(value: Any, path: str) -> str:
    """Return a text, also from a number or from the `value` in OpenAI's threads."""
    if isinstance(value, dict) and "value" in value:
        return _text(value["value"], f"{path}.value")
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    raise shape_error(path, value, "give a text")


def _picture(value: Any, path: str) -> Any:
    """Return a picture's path, or its bytes as the Hugging Face libraries wrap them."""
    if isinstance(value, dict):
        if isinstance(value.get("data"), str):  # Anthropic's form
            return {"bytes": _decode(value["data"], path)}
        if isinstance(value.get("url"), str):
            return _picture(value["url"], f"{path}.url")
        if not (isinstance(value.get("bytes"), bytes) or isinstance(value.get("path"), str)):
            raise shape_error(path, value, "give a path, a data URL or an object with url")
    elif isinstance(value, str) and value.startswith("data:"):
        # The text after the comma of data:image/png;base64,…
        return {"bytes": _decode(value.partition(",")[2], path)}
    elif not isinstance(value, str | bytes):
        raise shape_error(path, value, "give a path, a data URL or an object with url")
    return value


def _decode(base64: str, path: str) -> bytes:
    try:
        return b64decode(base64)
    except ValueError as error:
        raise ValueError(f"{path}: its picture is not base64: {error}") from error
