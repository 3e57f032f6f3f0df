"""Steps of answers about scenes: the middles of things, in hundredths of the picture's side."""

from typing import Any

QUESTIONS = ("count", "colour", "relation", "which")


def steps(facts: dict[str, Any], size: int) -> str:
    """State where the things are that a question is about, from left to right if it counts them."""
    question, things = facts["question"], facts["things"]
    if question == "count":
        words = facts["said"]
        fitting = [each for each in things if all(each[key] == words[key] for key in words)]
        places = sorted(_middle(each, size) for each in fitting)
    else:
        names = ("means",) if question == "colour" else ("one", "other")
        places = [_middle(things[facts[name]], size) for name in names]
    return ", ".join(f"thing at {x} {y}" for x, y in places) or "no thing"


def _middle(thing: dict[str, Any], size: int) -> tuple[int, int]:
    x1, y1, x2, y2 = thing["box"]
    return round(50 * (x1 + x2) / size), round(50 * (y1 + y2) / size)
