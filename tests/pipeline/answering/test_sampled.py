"""A belief from answers that were drawn: by their probabilities if these are said, else counted."""

import json
from decimal import Decimal
from math import exp, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reply_server import answer, reply_server

from gnomon.answers.number.answer import NumberForm
from gnomon.answers.text.answer import TextForm
from gnomon.eval.scoring.belief import best_answer
from gnomon.pipeline.answering.sampled import SampledAnswer, sampled_belief
from gnomon.pipeline.answering.server import Server

DIAL = NumberForm(step=Decimal("0.1"), cycle=Decimal(10))
TENTHS = tuple(f"{n / 10:.1f}" for n in range(100))


def drawn(*texts, logprobs=None):
    logprobs = logprobs or [None] * len(texts)
    return [SampledAnswer(*pair) for pair in zip(texts, logprobs, strict=True)]


def test_answers_are_counted_in_whatever_words():
    texts = ["9.9", "It reads 9.9.", "**0.0**", "10.0", "9.8"]
    belief = sampled_belief(drawn(*texts), TENTHS, DIAL, "plain")
    p = {name: exp(value) for name, value in belief.items()}
    assert sum(p.values()) == pytest.approx(1, abs=1e-3)
    # One answer more is spread over all hundred: 10 of 0.0 goes round.
    assert p["9.9"] == pytest.approx(2.01 / 6, abs=1e-4)
    assert p["0.0"] == pytest.approx(2.01 / 6, abs=1e-4)
    assert p["5.0"] == pytest.approx(0.01 / 6, abs=1e-4)
    assert best_answer(belief, DIAL, "plain", "mean") == "9.9"


def test_probabilities_that_the_server_says_count_more_than_how_often_it_said_them():
    logprobs = [log(0.5), log(0.5), log(0.2), None]
    belief = sampled_belief(
        drawn("9.9", "9.9", "0.0", "The dial shows 0.1", logprobs=logprobs), TENTHS, DIAL, "plain"
    )
    p = {name: exp(value) for name, value in belief.items()}
    assert (p["9.9"], p["0.0"]) == pytest.approx((0.5, 0.2), abs=1e-4)
    # The rest is shared by what was drawn without one, and a little by all others.
    assert p["0.1"] == pytest.approx(0.3 * 1.01 / (1 + 0.98), abs=1e-3)
    assert sum(p.values()) == pytest.approx(1, abs=1e-3)


def test_the_beginning_of_another_answer_has_no_probability_of_its_own():
    """That of 1 holds all of 10 and 100."""
    whole = tuple(map(str, range(101)))
    draws = drawn("1", "10", "10", "10", logprobs=[log(0.9)] * 4)
    belief = sampled_belief(draws, whole, NumberForm(), "plain")
    assert exp(belief["10"]) == pytest.approx((3 + 1 / 101) / 5, abs=1e-3)


def test_answers_that_are_not_listed_leave_less_than_the_whole():
    belief = sampled_belief(drawn("9.9", "what?", "9.9", "?"), TENTHS, DIAL, "plain")
    assert sum(map(exp, belief.values())) == pytest.approx(0.5, abs=1e-3)
    assert sampled_belief(drawn("what?", "?"), TENTHS, DIAL, "plain") is None


def test_that_nothing_can_be_read_is_counted_where_it_is_listed():
    listing = (*TENTHS, "unreadable")
    draws = drawn("illegible", "It cannot be read", "unreadable", "4.2")
    belief = sampled_belief(draws, listing, DIAL, "plain")
    assert best_answer(belief, DIAL, "plain", "mean") == "unreadable"


@given(
    st.lists(st.integers(0, 99), min_size=1, max_size=30),
    st.lists(st.none() | st.floats(-8, 0), min_size=30, max_size=30),
)
def test_a_belief_is_whole_and_finite_whatever_is_drawn(places, logprobs):
    draws = drawn(*[TENTHS[n] for n in places], logprobs=logprobs[: len(places)])
    belief = sampled_belief(draws, TENTHS, DIAL, "plain")
    assert tuple(belief) == TENTHS
    assert np.isfinite(list(belief.values())).all()
    assert sum(map(exp, belief.values())) == pytest.approx(1, abs=2e-3)


def choice(text, *logprobs, finish="stop"):
    content = [{"token": "x", "logprob": value} for value in logprobs]
    return {
        "message": {"content": text}, "finish_reason": finish, "logprobs": {"content": content}
    }  # fmt: skip


def test_several_answers_come_in_one_reply_with_their_probabilities():
    choices = [choice("9.9", -0.1, -0.2), choice("0.0", -1.0), choice("9", -1, finish="length")]
    with reply_server((200, {"choices": choices})) as server:
        draws = Server(server.url, "m").samples("?", [], max_tokens=9, n=3)
        (_, _, request) = server.requests[0]
    assert [draw.text for draw in draws] == ["9.9", "0.0", "9"]
    assert [draw.logprob for draw in draws] == [pytest.approx(-0.3), -1.0, None]
    assert (request["n"], request["temperature"], request["logprobs"]) == (3, 1, True)


def test_a_server_that_gives_one_at_a_time_is_asked_again():
    with reply_server(answer("4.2")) as server:
        draws = Server(server.url, "m").samples("?", [], max_tokens=9, n=4)
        assert len(server.requests) == 4
    assert draws == drawn(*["4.2"] * 4)


@pytest.mark.parametrize("message", ["'logprobs' is not supported", "`n` must be 1", "n > 1"])
def test_a_parameter_that_is_refused_is_left_out(message):
    key = "logprobs" if "logprobs" in message else "n"

    def reply(request):
        return (400, {"error": message}) if key in request else answer("4.2")

    with reply_server(reply) as server:
        held = Server(server.url, "m")
        assert len(held.samples("?", [], max_tokens=9, n=2)) == 2
        assert held.refused == {key}
        assert all(key not in request for _, _, request in server.requests[1:])


@pytest.mark.parametrize("content", [None, [], [{"logprob": "?"}], [{"logprob": -9999.0}], {}])
def test_what_is_no_probability_is_left_out(content):
    reply = choice("4.2") | {"logprobs": content if content is None else {"content": content}}
    with reply_server((200, {"choices": [reply]})) as server:
        draws = Server(server.url, "m").samples("?", [], max_tokens=9, n=1)
    assert draws == drawn("4.2")


def test_choices_are_words():
    form = TextForm(("open", "shut"))
    belief = sampled_belief(drawn("It is open", "Shut.", "open"), ("open", "shut"), form, "plain")
    assert exp(belief["open"]) == pytest.approx(2.5 / 4, abs=1e-3)
    assert json.dumps(belief)
