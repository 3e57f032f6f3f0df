"""Group runs that differ only in their seed, and check that runs answered the same questions."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gnomon.answers.registry import TYPES
from gnomon.eval.comparing.comparison import Comparison, apply_holm, compare_uncorrected
from gnomon.eval.comparing.guessing import compare_with_chance
from gnomon.eval.scoring.runs import RunResult, Scores

# Settings that may differ, because they say how a model reads and not what it is asked.
_MODEL_SETTINGS = {
    *("name", "family", "dialect", "dtype", "weights", "server", "attn_implementation", "boxes"),
    *(
        "belief",
        "answer",
        "grid",
        "calibration",
        "views",
        "find",
        "margin",
        "load_in_4bit",
        "load_in_8bit",
        "bnb_4bit_use_double_quant",
        "auto",
    ),
}


@dataclass(frozen=True)
class Group:
    """The runs of one recipe, one for each seed. A run without a recipe is a group by itself."""

    name: str
    by_seed: Mapping[int, RunResult]
    differs: Mapping[str, Any]
    """Recipe keys, without the seed, that differ between groups, with this group's values."""

    @property
    def runs(self) -> list[RunResult]:
        """The runs of the group in the order of `by_seed`."""
        return list(self.by_seed.values())

    @property
    def scores(self) -> dict[int, Scores]:
        """The scores of each run, by seed."""
        return {seed: run.scores for seed, run in self.by_seed.items()}

    @property
    def sentence(self) -> str:
        """Description of the group, for example "ntil: seeds 0, 1, 2; loss.name=ntil"."""
        many = len(self.by_seed) > 1
        seeds = f"seed{'s' * many} {', '.join(map(str, self.by_seed))}"
        parts = [seeds] if many or self.runs[0].recipe_yaml else []
        if self.differs:
            parts.append(", ".join(f"{key}={value}" for key, value in self.differs.items()))
        return ": ".join([self.name, "; ".join(parts)] if parts else [self.name])


def group_runs(runs: Sequence[RunResult]) -> list[Group]:
    """Group runs by recipe, in the order of the groups' first runs.

    If a recipe was run twice with the same seed, the second run begins another group.
    """
    groups: list[tuple[dict[str, Any] | None, dict[int, RunResult]]] = []
    for run in runs:
        recipe, seed = _recipe_and_seed(run)
        # The groups are a list, because a recipe is a dict and cannot be a key.
        for other, members in groups:
            # Runs without a recipe may differ in more than their seed.
            if recipe is not None and other == recipe and seed not in members:
                members[seed] = run
                break
        else:
            groups.append((recipe, {seed: run}))
    recipes = [recipe for recipe, _ in groups if recipe is not None]
    keys = dict.fromkeys(key for recipe in recipes for key in recipe)
    # Only these keys describe a group, because a recipe has dozens of keys.
    differing = [key for key in keys if any(r.get(key) != recipes[0].get(key) for r in recipes)]
    names = _group_names([list(members.values()) for _, members in groups])
    return [
        Group(name, members, {key: recipe.get(key) for key in differing} if recipe else {})
        for name, (recipe, members) in zip(names, groups, strict=True)
    ]


def compare_groups(groups: Sequence[Group]) -> tuple[list[Comparison], list[str]]:
    """Compare each group with the first group.

    Returns the comparisons, and a reason for each group that cannot be compared.
    """
    comparisons, refusals = [], []
    for group in groups[1:]:
        names = groups[0].name, group.name
        try:
            comparisons.append(compare_uncorrected(groups[0].scores, group.scores, names=names))
        except ValueError as error:
            refusals.append(f"{group.name} and {groups[0].name} are not compared: {error}")
    return apply_holm(comparisons), refusals


def verdicts(groups: Sequence[Group], comparisons: Sequence[Comparison]) -> list[list[str]]:
    """Return a list of verdicts for each group.

    Groups without a comparison come first. They are tested only against chance, and have a verdict
    only if they do not beat chance.
    """
    in_comparisons = {name for c in comparisons for name in (c.baseline, c.candidate)}
    single = [group for group in groups if group.name not in in_comparisons]
    of_single = [_chance_verdicts(group) for group in single]
    return [*filter(None, of_single), *(list(comparison.sentences) for comparison in comparisons)]


def _chance_verdicts(group: Group) -> list[str]:
    """Return a sentence for each type of answer on which a group does not beat chance."""
    tests = compare_with_chance(group.scores)
    title = "{}: " if len(tests) > 1 else ""
    return [
        f"{title.format(TYPES[type_name].title)}{group.name} is {test.sentence}"
        for type_name, test in tests.items()
        if not test.is_beaten
    ]


def check_same_exam(runs: Sequence[RunResult]) -> None:
    """Raise a ValueError if runs differ in their questions or generation settings.

    The message lists each key that differs. Generation settings of other programs are unknown and
    therefore ignored.
    """
    first, lines = runs[0], []
    for run in runs[1:]:
        # It is enough to compare all runs with the first.
        (data, generation), (other_data, other_generation) = _exam_of(first), _exam_of(run)
        pairs = {"data": (data, other_data)}
        if generation and other_generation:
            pairs["generation"] = generation, other_generation
        for section, (a, b) in pairs.items():
            lines += [
                f"  {section}.{key}: {a.get(key)!r} in {first.name}, {b.get(key)!r} in {run.name}"
                for key in a | b
                if a.get(key) != b.get(key)
            ]
    if lines:
        listing = "\n".join(lines[:12]) + (f"\n  … {len(lines) - 12} more" if lines[12:] else "")
        raise ValueError(
            f"these runs cannot be compared: their questions or settings differ:\n{listing}\n"
            "answer the same questions in the same way: `gnomon predict RUN DATA`"
        )


def _recipe_and_seed(run: RunResult) -> tuple[dict[str, Any] | None, int]:
    """Return the flat recipe without the seed, and the seed.

    The recipe is None and the seed 0 if the run has no recipe.
    """
    if run.recipe_yaml is None:
        return None, 0
    # Answers of other programs have no recipe, so YAML is not imported for them.
    from gnomon.recipe import flatten, parse

    raw = parse(run.recipe_yaml, name=run.name)
    seed = raw.pop("seed", 0)
    return flatten(raw), seed


def _group_names(groups: Sequence[Sequence[RunResult]]) -> list[str]:
    """Name each group by the common name of its runs, without the seed at the end.

    If the names differ, or two groups would have the same name, the first run gives the name.
    """
    names = []
    for runs in groups:
        stems = {_SEED.sub("", run.name) for run in runs}
        is_common = len(runs) > 1 and len(stems) == 1
        # ntil-0 and ntil-1 become ntil. A name that is only a seed stays as it is.
        names.append((is_common and stems.pop()) or runs[0].name)
    return [
        runs[0].name if names.count(name) > 1 else name
        for name, runs in zip(names, groups, strict=True)
    ]


# A single s means "seed" only after a separator: crps-0 is the first seed of crps.
_SEED = re.compile(r"([-_./ ]*seed|(^|[-_./ ]+)s)?[-_./ =]*\d*$", re.IGNORECASE)


def _exam_of(run: RunResult) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return two flat dicts: the description of the questions, and the generation settings."""
    from gnomon.recipe import flatten

    generation = {key: value for key, value in run.settings.items() if key not in _MODEL_SETTINGS}
    return flatten(dict(run.asked)), flatten(generation)
