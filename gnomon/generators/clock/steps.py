"""Steps of answers about clocks: where the hands point, in numerals of the dial."""

from typing import Any

from gnomon.generators.clock.clock_questions import BETWEEN, PLACES, TOGETHER
from gnomon.generators.clock.face import ARABIC_24
from gnomon.generators.wording import rounded_text

QUESTIONS = (
    *("read", "shift", "zone", "move", "to_hour", "angle", "valid", "date"), *TOGETHER, BETWEEN
)  # fmt: skip
# Decimals of a position, a third of a degree for the hour hand, half a minute for the minute hand.
_DECIMALS = {"hour": 2, "minute": 1, "second": 1}
_NAMES = {"hour": "short", "minute": "long", "second": "thin"}


def steps(facts: dict[str, Any]) -> str:
    """State the positions of the hands, or the time of each clock if several are compared."""
    question, clocks = facts["question"], facts.get("clocks")
    if question in (*TOGETHER, BETWEEN):
        assert clocks is not None
        names = ("first", "second") if question == BETWEEN else PLACES[len(clocks)]
        times = [f"{name} clock {_time(each)}" for name, each in zip(names, clocks, strict=True)]
        return ", ".join(times)
    clock = clocks[facts["about"]] if clocks else facts
    if question == "date":
        return f"window {clock['date']['day']}"
    hands = [_hand(clock, name) for name in clock["fields"]]
    # The time itself is the answer to `read`, and impossible hands show none.
    time = [] if question in ("read", "valid") else [f"shows {_time(clock)}"]
    return ", ".join(hands + time)


def _hours(clock: dict[str, Any]) -> int:
    return 24 if clock["style"]["numerals"] == ARABIC_24 else 12


def _hand(clock: dict[str, Any], name: str) -> str:
    hours = _hours(clock)
    position = round(clock["angles"][name] / 360 * hours, _DECIMALS[name]) % hours
    if name == "hour" and hours == 12 and position < 1:
        position += 12
    of = " of 24" if hours == 24 else ""
    return f"{_NAMES[name]} hand {rounded_text(position, _DECIMALS[name])}{of}"


def _time(clock: dict[str, Any]) -> str:
    hour, minute = divmod(clock["seconds"] // 60, 60)
    seconds = f":{clock['seconds'] % 60:02}" if "second" in clock["fields"] else ""
    hour = hour if _hours(clock) == 24 else hour % 12 or 12
    return f"{hour:02}:{minute:02}{seconds}"
