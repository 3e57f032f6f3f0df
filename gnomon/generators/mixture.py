"""Several kinds as one: weights decide which kind draws a sample."""

from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from itertools import accumulate
from typing import Any, ClassVar

from gnomon.generators import registry
from gnomon.generators.base import LATER, Generator
from gnomon.generators.user_files import UserFile
from gnomon.recipe import STRICT
from gnomon.sample import TARGETS, Sample, Target


@dataclass(frozen=True, kw_only=True)
class MixturePart:
    """Kind in a mixture, with its weight and options."""

    __pydantic_config__: ClassVar = STRICT

    kind: str
    """Name of the kind. `gnomon ls generators` lists the names."""
    weight: float = 1.0
    """Share of the samples, relative to the weights of the other parts."""
    options: dict[str, Any] | None = None
    """Options of the kind."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Mixture(Generator):
    """Several kinds. Sample i is sample i of one of the parts, so no sample is drawn twice."""

    kind: ClassVar[str] = "mixture"
    version: ClassVar[int] = 1
    targets: ClassVar[tuple[type[Target], ...]] = tuple(TARGETS.values())

    parts: tuple[MixturePart, ...] = (MixturePart(kind="clock"), MixturePart(kind="arithmetic"))
    """Parts of the mixture: kind, weight and options of each."""
    ood: bool = field(default=False, metadata=LATER)
    """True to draw from every part only what is held out otherwise."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.parts:
            raise ValueError("parts is empty: name at least one kind, such as {kind: clock}")
        for part in self.parts:
            if part.weight <= 0:
                raise ValueError(f"weight={part.weight} of {part.kind}: give a positive share")
        _ = self.members  # what a kind refuses is refused here

    def key(self, index: int) -> str:
        """Return the kind with the key of the sample in that kind."""
        member = self._member(index)
        return f"{member.kind}: {member.key(index)}"

    def draw(self, index: int) -> Sample:
        """Draw the sample of the part, with its id."""
        return self._member(index).draw(index)

    def id(self, index: int) -> str:
        """Return the id of the sample of the part."""
        return self._member(index).id(index)

    def _member(self, index: int) -> Generator:
        # A point on the line of all weights belongs to the interval of one part.
        position = self.rng(index).unit() * self._ends[-1]
        return next(m for m, end in zip(self.members, self._ends, strict=True) if position < end)

    @cached_property
    def members(self) -> tuple[Generator, ...]:
        """The mixed generators, in the order of the parts."""
        # Set after the options of the part, which must not undo it.
        held_out = {"ood": True} if self.ood else {}
        return tuple(
            registry.create(
                part.kind, split=self.split, seed=self.seed, **{**(part.options or {}), **held_out}
            )
            for part in self.parts
        )

    @property
    def files(self) -> dict[str, UserFile]:
        """The user's files of all parts."""
        return {path: file for member in self.members for path, file in member.files.items()}

    @property
    def hashed_options(self) -> dict[str, Any]:
        """The parts, in which the hashes of the user's files replace their paths."""
        if not self.files:  # as in all mixtures drawn so far
            return {}
        parts = [
            asdict(replace(part, options={**(part.options or {}), **member.hashed_options}))
            for part, member in zip(self.parts, self.members, strict=True)
        ]
        return {"parts": parts}

    @cached_property
    def _ends(self) -> tuple[float, ...]:
        return tuple(accumulate(part.weight for part in self.parts))
