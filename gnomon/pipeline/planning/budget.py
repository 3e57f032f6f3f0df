"""Tokens of samples, and memory of a training step, estimated from the shapes of the layers.

Tokens are counted by the checkpoint's tokenizer, or estimated from letters. For the language model,
activations are what autograd would save. For the vision tower they follow a rule of thumb. Weights
are never loaded.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from math import prod
from typing import Any

from gnomon import dialect
from gnomon.losses import CE
from gnomon.pipeline import collate
from gnomon.pipeline.checkpoint import open_processor, with_dtype
from gnomon.pipeline.families.base import Config, Family, Processor, tokenizer_of
from gnomon.pipeline.planning import shapes as model_shapes
from gnomon.recipe import Lora, Model, Recipe, Train
from gnomon.sample import Sample, Size

GIB = 2**30
LOGITS_AT_ONCE = 2**25
"""Logits that the trainer holds at a time: 128 MiB in float32. Longer answers go through the head
in chunks."""
NF4 = 0.5 + 1 / 64 + 4 / (64 * 256)
"""Bytes of a parameter in 4 bits: one byte of scale per 64 parameters, which is itself quantised
with a float32 per 256 scales (arXiv 2305.14314)."""
CUDA_OVERHEAD = 1.2 * GIB
"""Approximate memory of CUDA, its libraries and the gaps of the allocator."""
_VISION_BLOCK = 34
"""Bytes at 16 bits, per token and hidden dimension, that a transformer block saves for its backward
pass (arXiv 2205.05198, without the attention matrix)."""
_LETTERS_PER_TOKEN = 3.5
"""Approximate number of English letters per token."""
_MAX_QUOTE = 80
"""Characters of an answer in a message."""
_MOST_SHRUNK = 4
"""Factor by which a side may shrink before a warning: 448 pixels to 112."""
_TEMPLATE_TOKENS = 24
"""Approximate number of tokens of a chat template around a question."""


@dataclass(frozen=True)
class PartSize:
    """Size of one part of the model."""

    name: str
    parameters: int
    quantised: int
    """Parameters held in 4 or 8 bits."""
    trained: int
    """Trained parameters: the adapters', or the part's own."""
    mode: str
    """frozen, lora or full."""

    def to_json(self) -> dict[str, Any]:
        """Return plain values, for `gnomon plan --json`."""
        values = asdict(self)
        values["way"] = values.pop("mode")  # programs know it by this name
        return values


@dataclass(frozen=True)
class Memory:
    """Bytes of a training step, by purpose."""

    weights: float
    training: float
    """Trained parameters in addition to the base, their gradients and the optimizer's two
    moments."""
    activations: float
    """Activations for the backward pass. With GRPO, at least the keys and values of the answers
    that are sampled together."""
    answers: float
    """Logits of the answers' tokens, with their gradient."""
    rest: float

    @property
    def total(self) -> float:
        return self.weights + self.training + self.activations + self.answers + self.rest


class Sizer:
    """Estimate parts and memory of a recipe, as if all samples were as long as the longest.

    The model is measured once for all batch sizes, which takes seconds for a large model. `stored`
    has the sizes of a well-known checkpoint, which is then not measured.
    """

    def __init__(
        self,
        family: Family,
        config: Config,
        tokens: Sequence[TokenCounts],
        stored: model_shapes.Stored | None = None,
    ) -> None:
        self._family, self._config, self._tokens = family, config, tokens
        self._stored = stored
        self._saved_bytes: dict[tuple[Any, ...], float] = {}

    @cached_property
    def shapes(self) -> model_shapes.Shapes:
        """Sizes of the model's layers."""
        if self._stored is not None:
            return self._stored.shapes
        built = model_shapes.build_on_meta(self._family, self._config, "bfloat16")
        return model_shapes.measure_shapes(self._family, built)

    def tokens(self, recipe: Recipe) -> list[TokenCounts]:
        """Tokens of each sample under the recipe's pixel limits. GRPO samples longer answers."""
        counts = [
            each.with_pixel_limits(self._family, self._config, recipe.model)
            for each in self._tokens
        ]
        if recipe.train.method == "sft":
            return counts
        most = recipe.max_new_tokens
        return [replace(c, total=c.total - c.answer + most, answer=most) for c in counts]

    def __call__(self, recipe: Recipe) -> tuple[list[PartSize], Memory]:
        model, train = with_dtype(recipe.model), recipe.train
        tokens = self.tokens(recipe)
        parts = part_sizes(self.shapes, model, train)
        batch = train.per_device_train_batch_size
        width = 4 if model.dtype == "float32" else 2  # bytes of a number
        adapter_width = _adapter_width(model, width)
        quantised_width = NF4 if model.bits == 4 else 1
        adapters = sum(part.trained for part in parts if part.mode == "lora")
        full = sum(part.trained for part in parts if part.mode == "full")
        vocabulary = self._config.get_text_config().vocab_size
        # The trainer puts at most this many rows through the head at a time.
        rows = min(batch * max(t.answer for t in tokens), LOGITS_AT_ONCE // vocabulary)
        patches = batch * max(t.patches for t in tokens)
        language = batch * self._language(model, train, max(t.total for t in tokens), width)
        largest = max(layer.inputs * layer.outputs for layer in self.shapes.layers["language"])
        return parts, Memory(
            weights=sum(
                part.quantised * quantised_width + (part.parameters - part.quantised) * width
                for part in parts
            ),
            # Adapters with a gradient and two moments. Parts that train in full only add gradient
            # and moments, because their weights are in `weights`.
            training=4 * adapter_width * adapters + 3 * width * full,
            activations=max(
                language + self._vision(train, patches, width),
                self._sampling(train, max(t.total for t in tokens), width),
            ),
            # Logits as the head computes them, then in float32 with their gradient.
            answers=rows * vocabulary * (width + 4 + 4),
            # A layer in 4 bits is unpacked for its multiplication, one layer at a time.
            rest=CUDA_OVERHEAD + (largest * width if model.bits else 0),
        )

    def _sampling(self, train: Train, tokens: int, width: int) -> float:
        """Return the bytes of keys and values while all answers of a GRPO step are sampled."""
        if train.method == "sft":
            return 0.0
        config = self._config.get_text_config()
        heads = getattr(config, "num_key_value_heads", None) or config.num_attention_heads
        head = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
        cached = 2 * config.num_hidden_layers * heads * head
        return float(train.step_size * tokens * cached * width)

    def _language(self, model: Model, train: Train, tokens: int, width: int) -> float:
        """Return the bytes of activations that the language model holds for one sample."""
        rank = train.lora_r if train.language == "lora" else 0
        key = train.language, rank, tokens, model.dtype, model.bits
        if key not in self._saved_bytes:
            self._saved_bytes[key] = self._measure(model, train, tokens, width)
        saved = self._saved_bytes[key]
        if not train.activation_checkpointing:
            return saved
        # Checkpointing holds the input of every block, and everything that one block saves while
        # it is computed again.
        config = self._config.get_text_config()
        blocks = config.num_hidden_layers
        return float(tokens * config.hidden_size * width * blocks + saved / blocks)

    def _measure(self, model: Model, train: Train, tokens: int, width: int) -> float:
        options: dict[str, Any] = {
            "mode": train.language,
            "rank": train.lora_r,
            "tokens": tokens,
            "adapter_width": _adapter_width(model, width),
        }
        if self._stored is not None:
            return self._stored.saved_bytes(width=width, **options)
        built = model_shapes.build_on_meta(self._family, self._config, str(model.dtype))
        return model_shapes.measure_saved_bytes(self._family, built, **options)

    def _vision(self, train: Train, patches: int, width: int) -> float:
        """Return the bytes of the vision tower's activations, by the rule of thumb for a block.

        A frozen tower saves nothing, so only one block's activations exist at a time.
        """
        if self._family.vision is None or not patches:
            return 0.0
        vision = self._config.vision_config
        # Qwen2-VL's config calls these embed_dim and depth, most others hidden_size and so on.
        hidden = getattr(vision, "embed_dim", None) or vision.hidden_size
        blocks = getattr(vision, "depth", None) or vision.num_hidden_layers
        block = patches * hidden * _VISION_BLOCK / 2 * width
        return float(block * (1 if train.vision == "frozen" else blocks))


def _adapter_width(model: Model, width: int) -> int:
    """Return the bytes of an adapter's number. PEFT uses float32, and the trainer casts it for
    NF4."""
    return width if model.bits else 4


def part_sizes(shapes: model_shapes.Shapes, model: Model, train: Train) -> list[PartSize]:
    """Return the size of each part as the recipe holds and trains it.

    "head" is everything outside the three parts. An untied head and the like train with the
    language model, an audio tower never trains.
    """
    parts = []
    for name in ("language", "vision", "projector"):
        if name not in shapes.parameters:
            continue
        parameters, layers, quantised = shapes.parameters[name], shapes.layers[name], 0
        if model.bits and name == "language":
            quantised = sum(layer.inputs * layer.outputs * layer.n for layer in layers)
        mode = getattr(train, name)
        adapters = _adapter_parameters(layers, train.rank(name), train.lora)
        trained = {"frozen": 0, "lora": adapters, "full": parameters}[mode]
        parts.append(PartSize(name, parameters, quantised, trained, mode))
    if "head" in shapes.parameters:
        mode, trained = "frozen", 0
        if train.language == "full":
            mode, trained = "full", shapes.trainable_head
        parts.append(PartSize("head", shapes.parameters["head"], 0, trained, mode))
    return parts


def _adapter_parameters(layers: Sequence[model_shapes.Layer], rank: int, lora: Lora | None) -> int:
    """Count the parameters of a part's adapters: two matrices per layer, and DoRA's magnitudes."""
    targets = (lora and lora.target_modules) or ()
    use_dora = lora is not None and lora.use_dora
    total = 0
    for layer in layers:
        if not targets or layer.name in targets:
            magnitudes = layer.outputs if use_dora else 0
            total += layer.n * (rank * (layer.inputs + layer.outputs) + magnitudes)
    return total


@dataclass(frozen=True)
class TokenCounts:
    """Token counts of one sample."""

    total: int
    picture: int
    answer: int
    """Tokens of the answer and its end."""
    patches: int
    """Patches of its pictures in the vision tower."""
    sizes: Sequence[Size]
    """Sizes of its pictures before a recipe's pixel limits."""

    def with_pixel_limits(self, family: Family, config: Config, model: Model) -> TokenCounts:
        """Return the counts under a recipe's pixel limits."""
        picture, patches = _image_costs(family, config, self.sizes, model)
        return replace(
            self, total=self.total - self.picture + picture, picture=picture, patches=patches
        )


def count_tokens(
    family: Family, config: Config, recipe: Recipe, samples: Sequence[Sample]
) -> tuple[list[TokenCounts], dict[str, float] | None]:
    """Count by the model's processor. Also return the share of the answers' digits that the loss
    sees, by answer type. None for the cross-entropy alone."""
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
        counts.append(TokenCounts(batch["input_ids"].shape[1], picture, answer, patches, sizes))
    if recipe.loss.name == CE:
        return counts, None
    from gnomon.losses import NumericVocab  # imports torch, which a guess does without

    vocab = NumericVocab.from_tokenizer(
        tokenizer_of(processor), size=config.get_text_config().vocab_size
    )
    return counts, collate.digit_coverage(vocab, family, processor, samples)


def cut_answers_warning(
    family: Family, processor: Processor, samples: Sequence[Sample], limit: int
) -> str:
    """Say how many answers are cut at `limit` tokens, and name the longest. Empty if no answer is
    cut."""
    collator = collate.Collator(family, processor)
    lengths: dict[str, int] = {}
    n = 0
    for sample in samples:
        try:
            answer = collate.write_answer(family, processor, sample)
            # The end token is not counted, because an answer cut just before it is still
            # complete.
            lengths[answer] = len(collator.answer_ids(sample)) - 1
        except ValueError:  # no label to train on, as the training says when it comes to it
            continue
        n += lengths[answer] > limit
    if not n:
        return ""
    longest = max(lengths, key=lambda answer: lengths[answer])
    return (
        f"{n} of {len(samples)} answers are longer than eval.max_new_tokens={limit}, so gnomon"
        f" will cut them in an evaluation; the longest, {_short(longest)!r}, has"
        f" {lengths[longest]} tokens: give eval.max_new_tokens={lengths[longest]} or more"
    )


def shrunk_pictures_warning(family: Family, processor: Processor, samples: Sequence[Sample]) -> str:
    """Say how far pictures are shrunk for the model if marks on them may be lost. Empty
    otherwise."""
    pairs: list[tuple[Size, Size]] = []
    for sample in samples:
        with suppress(ValueError):  # pictures that the family refuses are named in training
            sizes = collate.resized_sizes(family, processor, sample)
            pairs += zip(sample.sizes, sizes, strict=True)
    if not pairs:
        return ""
    size, new_size = max(pairs, key=lambda pair: prod(pair[0]) / prod(pair[1]))
    if prod(size) <= _MOST_SHRUNK**2 * prod(new_size):
        return ""
    (width, height), (new_width, new_height) = size, new_size
    return (
        f"pictures of {width} × {height} pixels are shrunk to {new_width} × {new_height} for the"
        " model, so small marks and digits may be lost: crop the pictures to the instrument, or"
        " raise model.max_pixels"
    )


def _short(text: str) -> str:
    return text if len(text) <= _MAX_QUOTE else f"{text[:_MAX_QUOTE]}…"


def guess_tokens(family: Family, config: Config, recipe: Recipe, sample: Sample) -> TokenCounts:
    """Estimate the tokens from the letters. In an answer each letter counts as a token, as digits
    do."""
    sizes = [image.size for image in sample.images]
    picture, patches = _image_costs(family, config, sizes, recipe.model)
    text = dialect.create(family.dialect).write(sample.target, sizes[0] if sizes else None)
    digits = sum(map(str.isdigit, sample.rationale))
    working = digits + round((len(sample.rationale) - digits) / _LETTERS_PER_TOKEN)
    answer = working + len(text) + 1  # with its end token
    # The prompt's text: its question within the chat template.
    question = round(len(sample.question) / _LETTERS_PER_TOKEN) + _TEMPLATE_TOKENS
    return TokenCounts(question + picture + answer, picture, answer, patches, sizes)


def _image_costs(
    family: Family, config: Config, sizes: Sequence[Size], model: Model
) -> tuple[int, int]:
    """Count the tokens of all pictures in the prompt, and their patches in the vision tower."""
    costs = [family.image_cost(config, size, model) for size in sizes]
    return sum(tokens for tokens, _ in costs), sum(patches for _, patches in costs)
