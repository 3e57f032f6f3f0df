"""Base class of generators: a frozen dataclass of options whose item i is Sample i."""

from __future__ import annotations

import json
import operator
import typing
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cache, cached_property, partial
from hashlib import blake2b
from itertools import count
from typing import Annotated, Any, ClassVar, Literal, TypeAlias, TypeVar, overload

from gnomon.files import read_toml
from gnomon.generators.rng import Rng, digest
from gnomon.generators.user_files import UserFile
from gnomon.names import hint
from gnomon.recipe import STRICT
from gnomon.sample import Sample, Target

T = TypeVar("T")
# Check that refuses an option by its name and value. An option carries it in its type, by
# Annotated.
Limit: TypeAlias = Callable[[str, Any], None]
# `all` means every row of a user's own file. Other sources do not have it.
Split: TypeAlias = Literal["train", "val", "test", "all"]
SPLITS: tuple[Split, ...] = ("train", "val", "test")
# Number of draws before giving up. A tenth of all meanings belongs to a split, so this many draws
# without success cannot happen.
_TRIES = 1000
# Metadata of an option that was added to an existing kind. With its default, samples are as
# before.
LATER = {"later": True}
# Metadata of an option that changes the words of samples, but neither their pictures nor facts.
WORDS_ONLY = {"words_only": True}


def split_of(*meaning: object) -> Split:
    """Return the split of a meaning, independent of the seed: 80 % train, 10 % val, 10 % test."""
    return _split_of_hash(digest("split", *meaning))


def quick_split(kind: str, meaning: str) -> Split:
    """Return the split of a meaning from one short hash, for kinds that try many meanings per
    sample."""
    hashed = blake2b(meaning.encode(), digest_size=1, key=kind.encode()).digest()
    return _split_of_hash(hashed)


def _split_of_hash(hashed: bytes) -> Split:
    # Ten parts of a byte: 0 to 7 are train, 8 is val, 9 is test.
    return SPLITS[max(0, hashed[0] * 10 // 256 - 7)]


def check_range(
    option: str, value: float | Sequence[float] | None, low: float, high: float
) -> None:
    """Refuse a number, or an end of a range, that is not between `low` and `high`."""
    if value is None:
        return
    ends = list(value) if isinstance(value, Sequence) else [value]
    if not all(low <= end <= high for end in ends) or ends != sorted(ends):
        order = ", the lower end first" if len(ends) > 1 else ""
        raise ValueError(f"{option}={value!r}: give {low:.10g} to {high:.10g}{order}")


def check_names(option: str, names: Sequence[str] | None, choices: Sequence[str]) -> None:
    """Refuse an unknown name, an empty list, and a text instead of a list."""
    if names is None:
        return
    if isinstance(names, str) or not names:
        raise ValueError(f"{option}={names!r}: give a list of names, such as [{choices[0]}]")
    for name in names:
        if name not in choices:
            raise ValueError(f"{option}={name!r}: no such name; {hint(str(name), choices)}")


def check_choice(option: str, value: str, choices: Sequence[str]) -> None:
    """Refuse a word that is not among the choices."""
    if value not in choices:
        raise ValueError(f"{option}={value!r}: give one of {', '.join(choices)}")


def within(low: float, high: float) -> Limit:
    """Limit an option that is a number or a range. None is allowed."""
    return partial(check_range, low=low, high=high)


def among(choices: Iterable[str]) -> Limit:
    """Limit an option that is a list of names. None is allowed."""
    return partial(check_names, choices=tuple(choices))


def read_levels(module: str, level: Callable[..., T]) -> dict[str, T]:
    """Read the levels of a kind, easy to hard, from levels.toml next to its module (`__file__`)."""
    return {
        name: level(**{key: tuple(v) if isinstance(v, list) else v for key, v in fields.items()})
        for name, fields in read_toml(module, "levels.toml").items()
    }


@cache
def _limits(kind: type[Generator]) -> dict[str, Limit]:
    hints = typing.get_type_hints(kind, include_extras=True)
    limits = {n: h.__metadata__[0] for n, h in hints.items() if typing.get_origin(h) is Annotated}
    # The words of a Literal are also a limit.
    choices = {n: typing.get_args(h) for n, h in hints.items() if typing.get_origin(h) is Literal}
    return limits | {n: partial(check_choice, choices=words) for n, words in choices.items()}


@dataclass(frozen=True, kw_only=True, repr=False)
class Generator(ABC):
    """Generator of samples: a pure function of (kind, version, options, split, seed, index).

    A subclass adds its options as fields. It defines the meaning (`key`) and the drawing (`draw`)
    of an index.
    """

    __pydantic_config__: ClassVar = STRICT
    kind: ClassVar[str]
    version: ClassVar[int]
    """Version of the samples. Raise it if the same options draw something else."""
    targets: ClassVar[tuple[type[Target], ...]]
    """Types of answers. Each type has its reader and its measures in eval."""
    every_question: ClassVar[dict[str, Any]] = {}
    """Options with which the kind asks all of its questions. {} if its defaults do so."""
    levels: ClassVar[Mapping[str, Any]] = {}
    """Values by level: a named tuple whose fields are options or belong to the level only."""

    assign_split: ClassVar[Callable[..., Split]] = staticmethod(split_of)
    """Function that returns the split of a meaning (`key`). Equal meanings share a split."""

    split: Split = "train"
    """Part of the kind's meanings or styles to draw. The parts never overlap."""
    seed: int = 0
    """Seed. Another seed gives other samples."""

    def __post_init__(self) -> None:
        for option, check in _limits(type(self)).items():
            check(option, getattr(self, option))

    @abstractmethod
    def key(self, index: int) -> str:
        """Return the meaning of sample `index` without drawing it. Two splits never share a key."""

    @abstractmethod
    def draw(self, index: int) -> Sample:
        """Draw sample `index`. The result is the same in every process."""

    @overload
    def __getitem__(self, index: int) -> Sample: ...
    @overload
    def __getitem__(self, index: slice) -> list[Sample]: ...
    def __getitem__(self, index: int | slice) -> Sample | list[Sample]:
        if isinstance(index, slice):
            return [self.draw(i) for i in indices_of(index, None)]
        index = operator.index(index)  # numpy's integers, too
        if index < 0:
            raise IndexError(f"index {index}: samples count from 0 and have no end")
        return self.draw(index)

    def __iter__(self) -> Iterator[Sample]:
        return (self.draw(index) for index in count())

    def __repr__(self) -> str:
        """Return the call that makes this generator, with the options that differ from the
        defaults."""
        changed = [
            f"{option.name}={value!r}"
            for option in fields(self)
            if (value := getattr(self, option.name)) != option.default
        ]
        return f"{type(self).__name__}({', '.join(changed)})"

    def rng(self, index: int) -> Rng:
        """Return the random draws of sample `index`. Each call starts them anew."""
        return Rng.at(self._stream, index)

    def id(self, index: int) -> str:
        """Return a name that is unique to these options, this split and seed."""
        return f"{self.name}-{index:07}"

    @cached_property
    def name(self) -> str:
        """Kind, version, options (hashed), split and seed. Two generators with the same name are
        equal."""
        options = digest(self._identity[2], size=4).hex()
        return f"{self.kind}-v{self.version}-{options}-{self.split}-{self.seed}"

    @property
    def members(self) -> tuple[Generator, ...]:
        """Generators that draw the samples: this generator, or the parts of a mixture."""
        return (self,)

    @property
    def has_several_pictures(self) -> bool:
        """Return True if samples may have several pictures."""
        return False

    @property
    def general_question(self) -> str | None:
        """Question that suits every picture of this kind, taken from its own questions.

        None if its questions depend on what is drawn, or if it asks several questions.
        """
        return None

    @property
    def box_questions(self) -> tuple[str, ...]:
        """Questions for the box of the instrument in a picture. Empty for most kinds."""
        return ()

    @property
    def options(self) -> dict[str, Any]:
        """Options as plain values. `create(kind, **options)` makes the same generator."""
        # Through JSON, tuples become lists, as in YAML and in stored descriptions.
        plain: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        del plain["split"], plain["seed"]
        return plain

    @cached_property
    def settings(self) -> Any:
        """Values of the level, overridden by the options that are set."""
        level = self.levels[getattr(self, "level")]  # noqa: B009 - subclasses have it
        options = {name: getattr(self, name, None) for name in level._fields}
        return level._replace(**{
            name: tuple(value) if isinstance(value, list) else value
            for name, value in options.items() if value is not None
        })  # fmt: skip

    @property
    def files(self) -> Mapping[str, UserFile]:
        """The user's own files that the generator draws with, by their paths."""
        return {}

    @property
    def hashed_options(self) -> Mapping[str, Any]:
        """Options in which the hashes of files replace their paths.

        Samples depend on the content and the order of the files, not on their place.
        """
        return {}

    def of_its_split(self, draw: Callable[[], T], meaning: Callable[[T], Iterable[object]]) -> T:
        """Repeat the draw until its meaning belongs to the split, so two splits never share a
        meaning."""
        for _ in range(_TRIES):
            thing = draw()
            if self.assign_split(self.kind, *meaning(thing)) == self.split:
                return thing
        raise AssertionError(f"{self}: nothing of the {self.split} split in {_TRIES} draws")

    @cached_property
    def _stream(self) -> bytes:
        return digest(*self._identity, size=32)

    @cached_property
    def _identity(self) -> tuple[str, int, str, str, int]:
        options = {**self.options, **self.hashed_options}
        for option in fields(self):
            # An option that was added later must not change the samples of users who do not set
            # it.
            is_default = getattr(self, option.name) == option.default
            if option.metadata == WORDS_ONLY or (option.metadata == LATER and is_default):
                del options[option.name]
        written = json.dumps(options, sort_keys=True)
        return self.kind, self.version, written, self.split, self.seed


def indices_of(selection: slice, length: int | None) -> range:
    """Return the indices of a slice. A generator has no length, so the slice needs an end."""
    if length is not None:
        return range(*selection.indices(length))
    # Without an end, -1 would be the last of infinitely many samples.
    start, stop, step = selection.start or 0, selection.stop, selection.step or 1
    if stop is None or min(start, stop) < 0:
        raise IndexError(
            f"[{start}:{'' if stop is None else stop}]: samples count from 0 and have no end; give"
            " both ends, such as [0:3]"
        )
    return range(start, stop, step)
