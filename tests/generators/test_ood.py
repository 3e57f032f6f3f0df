"""What `ood` holds out is never drawn without it, and nothing else is drawn with it."""

import re

import pytest

from gnomon.generators import KINDS, create
from gnomon.generators.arithmetic.generator import LEVELS
from gnomon.generators.chart.style import STYLES, STYLES_HELD_OUT
from gnomon.generators.drawing.lettering import TEXT_FONTS, UNSEEN_FONTS
from gnomon.generators.drawing.shapes import DIALS, HANDS, UNSEEN_DIALS, UNSEEN_HANDS
from gnomon.generators.gauge import generator as gauges
from gnomon.generators.scene.things import SEEN, UNSEEN
from gnomon.generators.word_problem.stories import DOMAINS

N = 150
GROWING = ["add", "subtract", "multiply", "divide", "quotient", "remainder", "chain", "products",
           "mixed", "in_base"]  # fmt: skip
"""Tasks whose numbers have no end of their own."""


def styles(*names):
    """Looks of a sample by those parts of its style."""
    return lambda facts: {(name, facts["style"][name]) for name in names}


LOOKS = {
    "chart": ({"size": 224}, styles("name", "palette", "font")),
    "clock": ({"size": 84}, styles("dial", "hands")),
    "counter": ({"size": 160}, styles("font")),
    "face": ({"description": ["hygrometer", "thermometer"]}, styles("palette")),
    "gauge": ({"size": 160}, styles("palette", "hand")),
    "scene": ({"size": 168}, lambda facts: {thing["name"] for thing in facts["things"]}),
    "text_spotting": ({"size": 224}, lambda facts: {text["font"] for text in facts["texts"]}),
    "word_problem": ({}, lambda facts: {facts["domain"]}),
}
WORLDS = [
    {name for name, domain in DOMAINS.items() if domain.held_out == ood} for ood in (False, True)
]
KNOWN = {
    "chart": (1, [{("name", name) for name in names} for names in (STYLES, STYLES_HELD_OUT)]),
    "clock": (
        0.5,
        [
            {("dial", dial) for dial in dials} | {("hands", hand) for hand in hands}
            for dials, hands in ((DIALS, HANDS), (UNSEEN_DIALS, UNSEEN_HANDS))
        ],
    ),
    "gauge": (
        0.5,
        [{("hand", hand) for hand in hands} for hands in (gauges.HANDS, gauges.UNSEEN_HANDS)],
    ),
    "scene": (0.5, [set(SEEN), set(UNSEEN)]),
    "text_spotting": (1, [set(TEXT_FONTS) - set(UNSEEN_FONTS), set(UNSEEN_FONTS)]),
    "word_problem": (1, WORLDS),
}
"""Looks that are drawn in training and those held out, and the share of them that is drawn."""


@pytest.mark.slow
@pytest.mark.parametrize("kind", LOOKS)
def test_looks_and_worlds_are_never_mixed(kind):
    options, looks = LOOKS[kind]
    drawn, held_out = (
        set().union(*(looks(sample.facts) for sample in create(kind, ood=ood, **options)[0:N]))
        for ood in (False, True)
    )
    assert not drawn & held_out
    assert len(held_out) >= 2
    share, (plain, unseen) = KNOWN.get(kind, (0, [set(), set()]))
    assert not drawn & unseen
    assert not held_out & plain
    assert len(drawn & plain) >= share * len(plain)
    assert len(held_out & unseen) >= share * len(unseen)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("task", GROWING)
def test_numbers_or_terms_are_more_than_any_shown(task, level):
    options = {"tasks": [task], "level": level, "places": (0, 0)}
    plain, beyond = (create("arithmetic", ood=ood, **options) for ood in (False, True))
    shown, held_out = ([one.key(index) for index in range(300)] for one in (plain, beyond))
    assert not set(shown) & set(held_out)
    assert max(map(size, shown)) < max(map(size, held_out))


def size(meaning):
    """How many numbers there are, and how many digits the longest has."""
    numbers = re.findall(r"\d+", meaning)
    return len(numbers), max(map(len, numbers))


def test_a_mixture_hands_it_to_its_parts():
    parts = [{"kind": "scene", "options": {"size": 168}}, {"kind": "word_problem"}]
    seen = {"scene": set(), "word_problem": set()}
    for ood in (False, True):
        mixture = create("mixture", parts=parts, ood=ood)
        for index in range(60):
            sample = mixture[index]
            kind = sample.id.partition("-v")[0]
            seen[kind] |= {(ood, look) for look in LOOKS[kind][1](sample.facts)}
    for looks in seen.values():
        assert not {look for ood, look in looks if ood} & {look for ood, look in looks if not ood}
        assert {ood for ood, _ in looks} == {False, True}


def test_every_kind_that_draws_has_it():
    assert set(LOOKS) | {"arithmetic", "mixture"} == set(KINDS)
