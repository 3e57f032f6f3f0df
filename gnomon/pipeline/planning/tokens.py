"""Token counts of samples: by a checkpoint's tokenizer, or guessed from their letters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gnomon import dialect
from gnomon.losses import CE
from gnomon.pipeline import collate
from gnomon.pipeline.checkpoint import open_processor
from gnomon.pipeline.families.base import Config, Family, tokenizer_of
from gnomon.recipe import Model, Recipe
from gnomon.sample import Sample, Size

_LETTERS = 3.5
"""Letters of English in a token, about."""
_LONGEST = 80
"""Characters of an answer in a message."""
_CHAT = 24
"""Tokens of a chat template around a question, about."""


@dataclass(frozen=True)
class Tokens:
    """Token counts of one sample."""

    all: int
    picture: int
    answer: int
    """Tokens of the answer and its end."""
    patches: int
    """Patches of its pictures in the vision tower."""
    sizes: Sequence[Size]
    """Sizes of its pictures before a recipe's pixel limits."""

    def resized(self, family: Family, config: Config, model: Model) -> Tokens:
        """Count again under a recipe's pixel limits."""
        picture, patches = _image_costs(family, config, self.sizes, model)
        return replace(
            self, all=self.all - self.picture + picture, picture=picture, patches=patches
        )


def count_tokens(
    family: Family, config: Config, recipe: Recipe, samples: Sequence[Sample]
) -> tuple[list[Tokens], dict[str, float] | None]:
    """Count by the model's processor; also return the digits that the loss sees, by answer type."""
    _, processor = open_processor(recipe.model)
    collator, counts = collate.Collator(family, processor), []
    for sample in samples:
        batch = collator([{"sample": sample}])
        # Sizes within the checkpoint's own limits, which may be narrower than the family's.
        sizes = collate.resized_sizes(family, processor, sample)
        if not family.has_pixel_limits:
            sizes = [image.size for image in sample.images]
        picture, patches = _image_costs(family, config, sizes, recipe.model)
        answer = int((batch["labels"] != collate.IGNORED).sum())
        counts.append(Tokens(batch["input_ids"].shape[1], picture, answer, patches, sizes))
    if recipe.loss.name == CE:
        return counts, None
    from gnomon.losses import NumericVocab  # imports torch, which a guess does without

    vocab = NumericVocab.from_tokenizer(
        tokenizer_of(processor), size=config.get_text_config().vocab_size
    )
    return counts, collate.digit_coverage(vocab, family, processor, samples)


def cut_answers(model: Model, samples: Sequence[Sample], limit: int) -> str:
    """Say how many answers are cut at `limit` tokens, and name the longest; empty if none is."""
    family, processor = open_processor(model)
    collator = collate.Collator(family, processor)
    lengths: dict[str, int] = {}
    n = 0
    for sample in samples:
        try:
            answer = collate.written_answer(family, processor, sample)
            # Without the end token, before which a measured answer may be cut.
            lengths[answer] = len(collator.answer_ids(sample)) - 1
        except ValueError:  # no label to train on, as the training says when it comes to it
            continue
        n += lengths[answer] > limit
    if not n:
        return ""
    longest = max(lengths, key=lambda answer: lengths[answer])
    return (
        f"{n} of {len(samples)} answers are longer than eval.max_new_tokens={limit}, and such are"
        f" cut when the model is measured; the longest, {_short(longest)!r}, has"
        f" {lengths[longest]} tokens: give eval.max_new_tokens={lengths[longest]} or more"
    )


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def guess_tokens(family: Family, config: Config, recipe: Recipe, sample: Sample) -> Tokens:
    """Guess from the letters; in an answer each letter is a token, as digits are."""
    sizes = [image.size for image in sample.images]
    picture, patches = _image_costs(family, config, sizes, recipe.model)
    text = dialect.create(family.dialect).write(sample.target, sizes[0] if sizes else None)
    answer = (
        len(text) + 1 + round(len(sample.rationale) / _LETTERS)
    )  # with its end token, after its working
    # The prompt's text: its question within the chat template.
    question = round(len(sample.question) / _LETTERS) + _CHAT
    return Tokens(question + picture + answer, picture, answer, patches, sizes)


def prompt_tokens(model: Model, samples: Sequence[Sample]) -> list[int]:
    """Count the tokens of each sample's prompt, pictures included, by the model's processor."""
    family, processor = open_processor(model)
    lengths = []
    for sample in samples:
        prompt = collate.prompt_of(family, processor, sample)
        inputs = family.encode(processor, [prompt], [sample.images], side="left")
        lengths.append(inputs["input_ids"].shape[1])
    return lengths


def _image_costs(
    family: Family, config: Config, sizes: Sequence[Size], model: Model
) -> tuple[int, int]:
    """Count the tokens of all pictures in the prompt, and their patches in the vision tower."""
    costs = [family.image_cost(config, size, model) for size in sizes]
    return sum(tokens for tokens, _ in costs), sum(patches for _, patches in costs)
