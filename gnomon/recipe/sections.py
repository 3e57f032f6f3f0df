"""The sections of a recipe: keys, types, defaults, and combinations that are refused."""

from dataclasses import asdict
from decimal import Decimal
from typing import Annotated, Any, Literal, TypeAlias, get_args

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field
from pydantic.dataclasses import dataclass

from gnomon.answers.base.number_range import MOST_ANSWERS, GridDecimals, grid_decimals, wide_grid
from gnomon.answers.registry import COLUMN_TARGETS
from gnomon.answers.unreadable.answer import WORD, is_unreadable_label
from gnomon.names import hint
from gnomon.recipe.checking import check_sft
from gnomon.redact import check_url

PartName = Literal["language", "vision", "projector"]
TrainingMode = Literal["frozen", "lora", "full"]
"""Training of one part of a model: none, by adapters, or of all its weights."""


# A misspelled key is an error, "8" is no number, and neither is infinity.
STRICT = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


Seed = Annotated[int, Field(ge=0, lt=2**32)]
"""A seed that numpy, torch and random all take."""

Many = Annotated[int, Field(gt=0, le=10**8)]
"""Samples or steps. Larger numbers overflow in the libraries, or fill the memory with indices."""
Batch = Annotated[int, Field(gt=0, le=2**16)]
"""Samples that are in memory together."""
Tokens = Annotated[int, Field(gt=0, le=10**7)]
"""Tokens of a text; the limit is more than any model reads."""
Area = Annotated[int, Field(gt=0, le=10**8)]
"""Pixels of a picture; larger ones are not opened."""
LARGEST_RANK = 2**14
"""Width of the largest language models: no adapter has more to say."""
Rank = Annotated[int, Field(gt=0, le=LARGEST_RANK)]
"""Rank of an adapter."""
Factor = Annotated[float, Field(gt=0, le=10**6)]
"""A positive factor; libraries keep it in 32 bits."""
_LARGEST_STEP = 2**20
"""Samples that one optimizer step reads."""


def _as_text(value: Any) -> Any:
    """Turn a number that YAML read into the text that was meant; refuse a bool, once yes or no."""
    if isinstance(value, bool):
        raise ValueError(
            f"{str(value).lower()} is no text: put yes, no, on, off, true and false in quotes"
        )
    return str(value) if isinstance(value, int | float) else value


AnswerText = Annotated[str, BeforeValidator(_as_text, json_schema_input_type=str | int | float)]
"""An answer as the model writes it; a number means its text."""


HowMany: TypeAlias = Many | Literal["all"] | None


def _check_grid(value: Any) -> tuple[Any, ...]:
    """Refuse a list of another length in words; a type of three numbers would say little."""
    if not isinstance(value, list | tuple) or len(value) != 3:
        raise ValueError(f"{value}: give first, last and step, such as [0, 9.9, 0.1]")
    return tuple(value)  # a list is no tuple to pydantic once a function has seen it


Grid = Annotated[tuple[float, float, float], BeforeValidator(_check_grid)]


def _off(value: Any) -> Any:
    """Read YAML's `off`, which is a false, as the word."""
    return "off" if value is False else value


Augment = Annotated[
    Literal["off", "light", "heavy"],
    BeforeValidator(_off, json_schema_input_type=Literal["off", "light", "heavy", False]),
]
"""Strength of what training does to a user's pictures."""

BoxFormat = Literal["xyxy", "xywh", "cxcywh", "xyxy_1", "cxcywh_1", "xyxy_1000"]


@dataclass(frozen=True, config=STRICT)
class Columns:
    """Columns of a user's own table, and how its answers are written."""

    image: str | None = "image"
    """The column with the picture's path, beside the file, or file_name where no image is; null
    where text alone is asked. PNG, JPEG, WebP, BMP, GIF or TIFF, of up to 89,478,485 pixels."""
    more_images: tuple[str, ...] = ()
    """Further columns with pictures of the same question, in order, such as [left, right]; an empty
    cell has none. Where a column holds a list of pictures, all of them are of the question."""
    question: str = "question"
    """The column with the question."""
    ask: str | None = None
    """One question for all rows instead of the column, such as 'What time is it?'."""
    answer: str = "answer"
    """The column with the answer."""
    kind: str = "text"
    """The type of the answers: time, number, box, boxes (several, or none) or text."""
    hours: Literal[12, 24] = 12
    """Hours of the clocks, where the answers are times."""
    seconds: Literal["drop"] | None = None
    """drop: leave the seconds of the labels out, so that 10:08:59 is 10:08, as questions for HH:MM
    need it. Default: an answer has seconds if its label has them."""
    unit: str | Annotated[tuple[str, ...], Field(min_length=1)] = ""
    """Unit of the numbers, such as kWh; a label may have it, as 12 kWh does. A label may have any
    of a list, such as [kWh, KWH, kwh]; answers are written with the first. Or the column that has
    the unit of each row, in a table of many instruments; [kWh] means the unit if there is a column
    of that name."""
    decimal: Literal["point", "comma"] | None = None
    """The decimal mark of the numbers, point or comma: to be given where a label has a decimal
    comma, or is one such as 1,234, which may be two numbers."""
    within: Annotated[float, Field(ge=0, le=1e300)] | Annotated[str, Field(min_length=1)] = 0.0
    """Largest difference at which a number is accepted, such as 0.5; or the column that has it for
    each row."""
    cycle: Annotated[float, Field(ge=0, le=1e9)] = 0.0
    """Value at which the scale begins again: 10 for a meter's dial, where 9.9 is a tenth from 0.0,
    360 for a compass in degrees; 0 for a scale that ends. Errors are then taken the shorter way."""
    digits: Annotated[int, Field(ge=0, le=30)] | Literal["label"] | None = None
    """Figures of a counter before the point, such as 5: answers are then written 05098 and not
    5098, and also measured figure by figure. label: as many as each label has, which must be a text
    such as '05098'; 0: as a number."""
    choices: str | tuple[AnswerText, ...] | None = None
    """The possible texts, if all questions have the same, such as [open, closed]; or the column
    that holds the choices of each row, such as options. An answer is then a letter, such as C, or a
    text of the choices, and questions that do not list the choices get them."""
    unreadable: bool | Annotated[tuple[AnswerText, ...], Field(min_length=1)] = False
    """Labels that mean that nobody can read the picture, which the model then learns to answer as
    `unreadable`: true for empty cells, NaN, n/a, unreadable, not readable and illegible; or your
    own words instead, such as [blurred, ''] with '' for an empty cell. Default: such labels are
    refused."""
    box_format: BoxFormat = "xyxy"
    """Boxes in pixels as corners, corner and size, or middle and size; or corners on 0..1 or
    0..1000, or middle and size on 0..1, as YOLO has them."""
    group: str | None = None
    """A column, such as patient: rows that share its value never come into two splits. Without it,
    rows that share a picture, by its path as the row has it."""
    split: str | None = None
    """A column with train, val or test; without it 80, 10 and 10 % by a hash of the group."""

    def __post_init__(self) -> None:
        # Types of answers come from a registry, so the annotation cannot list them.
        if self.kind not in COLUMN_TARGETS:
            raise ValueError(f"kind={self.kind!r}: {hint(self.kind, COLUMN_TARGETS)}")
        if isinstance(self.choices, str) and self.kind != "text":
            raise ValueError(f"choices are texts: kind={self.kind} has none")
        for choice in self.listed_choices:
            if (choice == WORD and self.unreadable) or is_unreadable_label(choice, self.unreadable):
                raise ValueError(
                    f"choices: {choice!r} is an answer to be read, and with `unreadable` it says"
                    " that nothing can be: leave it out of one of them"
                )

    @property
    def listed_choices(self) -> tuple[str, ...]:
        """Choices that are the same for all rows."""
        return self.choices if isinstance(self.choices, tuple) else ()

    @property
    def units(self) -> tuple[str, ...]:
        """Spellings of the unit that labels may have; answers are written with the first."""
        return (self.unit,) if isinstance(self.unit, str) else self.unit


@dataclass(frozen=True, config=STRICT)
class Source:
    """A stream of samples: a generated kind, a dataset directory, or a user's own pictures."""

    kind: str | None = None
    """A generated kind, such as clock; `gnomon ls generators` lists them."""
    path: str | None = None
    """A dataset directory, as `gnomon generate` writes it; or your own table (.csv, .tsv, .json,
    .jsonl, .parquet, or the .xml of CVAT) or folder. Rows may be chats, with `messages` or
    `conversations` instead of question and answer. It is looked for beside the recipe's file first,
    then in the working directory."""
    benchmark: str | None = None
    """The benchmark that the path is a file of, such as chartqa; `gnomon ls benchmarks` lists
    them."""
    hub: str | None = None
    """A dataset of the Hugging Face hub, by owner/name."""
    columns: Columns | None = None
    """Columns of your own file, or of the hub's."""
    pictures: str | None = None
    """A folder in which pictures of your own file may lie besides the file's own folder. Names and
    links that lead elsewhere are refused; those of the hub's rows always."""
    on_bad: Literal["refuse", "skip"] = "refuse"
    """Treatment of your own rows, or a benchmark's, that cannot be used, broken pictures among
    them: all are listed and nothing is read, or they are left out and listed."""
    augment: Augment | None = None
    """Augmentation of your own pictures in training, such as off or heavy: exposure, colours,
    noise, blur, JPEG, a slight move, glare, something in front, anew in every epoch. Nothing is
    mirrored, boxes move along, and no test picture is changed. Default: light for your own rows,
    off for a dataset that gnomon drew."""
    weight: Annotated[float, Field(gt=0, le=10**9)] = 1.0
    """Share of the stream, relative to the other sources' weights: 2.0 is drawn twice as often as
    1.0."""
    options: dict[str, Any] | None = None
    """Options of the kind, such as {size: 112}; `gnomon ls generators` lists them."""

    def __post_init__(self) -> None:
        # Benchmarks and columns refine a path, so only these three name a source.
        if sum(name is not None for name in (self.kind, self.path, self.hub)) != 1:
            raise ValueError("a source has either a kind or a path, or names a dataset of the hub")
        if self.kind is None and self.options:
            raise ValueError("options belong to a kind; a path has none")
        if self.kind is not None and (self.columns or self.on_bad != "refuse"):
            raise ValueError("columns and on_bad belong to a file of your own; a kind has none")
        if self.kind is not None and self.augment is not None:
            raise ValueError("augment is for pictures of your own: a kind has options.degrade")
        if self.pictures is not None and self.path is None:
            raise ValueError("pictures belongs to a file of your own: a kind or the hub has none")
        if self.benchmark is not None and (self.path is None or self.columns):
            raise ValueError("a benchmark has a path, and its columns are known: give no others")


@dataclass(frozen=True, config=STRICT)
class AutoFamily:
    """Facts about a checkpoint without a family of its own, instead of those that are found out."""

    language: tuple[str, ...] | None = None
    """Names of the modules that are the language model, such as [model.text_model]; with vision and
    projector it says which layers get adapters and which stay in 16 bits."""
    vision: tuple[str, ...] | None = None
    """Names of the modules of the vision tower, such as [model.vision_model]."""
    projector: tuple[str, ...] | None = None
    """Names of the modules between them, such as [model.connector]; they may lie within vision."""
    lead: str | None = None
    """Text between the prompt and an answer, as a space after `Assistant:`."""
    end: str | None = None
    """The token that ends an answer, such as <|im_end|>."""
    dialect: str | None = None
    """The dialect in which it writes boxes, such as qwen2-vl or gemini; plain, on 0..1, by
    default."""
    template_options: dict[str, Any] | None = None
    """Options of the chat template, such as {enable_thinking: false}."""
    pictures: dict[str, Any] | None = None
    """Settings of its image processor, such as {size: {longest_edge: 490}}."""


@dataclass(frozen=True, config=STRICT)
class Model:
    """The model, and the precision of its weights."""

    name: str = "gnomon-tiny"
    """`gnomon-tiny`, a local directory, or a hub id. A directory is looked for beside the recipe's
    file first, then in the working directory."""
    family: str | None = None
    """The model family, such as qwen2-vl, if model_type does not name it; `gnomon ls families`."""
    auto: AutoFamily | None = None
    """Facts that `family: auto` need not find out; `gnomon plan` prints those that it found."""
    server: str | None = None
    """An OpenAI-compatible server that holds the model, such as http://localhost:8000/v1: it is
    asked and never trained. A key is read from OPENAI_API_KEY, and written nowhere."""
    load_in_4bit: bool = True
    """NF4 for the language model's linear layers, as QLoRA does."""
    load_in_8bit: bool = False
    """LLM.int8() for these layers instead of 4 bits."""
    bnb_4bit_use_double_quant: bool = True
    """Quantise the scales of 4-bit layers, too: 0.4 bits a weight less."""
    attn_implementation: str | None = None
    """sdpa, eager, flash_attention_2 or another that transformers knows; its own choice by
    default."""
    dtype: Literal["bfloat16", "float16", "float32"] | None = None
    """Precision of all weights that are not in 4 bits, and of the computation. Default: bfloat16 on
    a GPU, and float32 on processors, few of which multiply 16 bits quickly."""
    min_pixels: Area | None = None
    """Smaller pictures are enlarged to this area in pixels; default: the family's own limit."""
    max_pixels: Area | None = None
    """Larger pictures are shrunk to this area, such as 262144; default: the family's own limit."""

    @property
    def bits(self) -> int | None:
        """Bits of the language model's linear layers if they are quantised, else None."""
        return 8 if self.load_in_8bit else 4 if self.load_in_4bit else None

    @property
    def settings(self) -> dict[str, Any]:
        """Settings that answers depend on."""
        return asdict(self)

    def __post_init__(self) -> None:
        if self.load_in_8bit and self.load_in_4bit:
            raise ValueError("load_in_8bit=true: set load_in_4bit=false beside it")
        if self.min_pixels and self.max_pixels and self.min_pixels > self.max_pixels:
            raise ValueError(
                f"min_pixels={self.min_pixels} is more than max_pixels={self.max_pixels}"
            )
        if self.server:  # a login in it would be written into the run
            check_url(self.server)


# A bell of 0.25 steps has one draw in 1,500 beside the truth, one of 100 steps hides it.
_SPREADS = 0.25, 100.0


def _check_spread(width: float) -> float:
    low, high = _SPREADS
    if width and not low <= width <= high:
        raise ValueError(
            f"{width:g}: give a standard deviation in steps of the answer, from {low:g}, below"
            f" which all draws are the truth, to {high:g}, such as 0.8; or 0 for none"
        )
    return width


@dataclass(frozen=True, config=STRICT)
class Loss:
    """The numeric loss that is added to the cross-entropy."""

    name: str = "crps"
    """`ce` for the cross-entropy alone, or another such as crps; `gnomon ls losses` lists them."""
    weight: Annotated[float, Field(ge=0, le=10**9)] = 1.0
    """total = CE + weight · loss."""
    balance: Literal["fixed", "ce_ratio"] = "fixed"
    """`ce_ratio` scales the loss to the cross-entropy's size at each step, as NTIL published it."""
    schedule: Literal["constant", "cosine"] = "constant"
    """Course of the weight: it stays, or falls to 0 along a cosine by the end."""
    warmup: Annotated[float, Field(ge=0, le=1)] = 0.0
    """Share of the training, such as 0.1, over which the weight rises from 0 before its
    schedule."""
    numeric_mass: Annotated[float, Field(ge=0, le=10**9)] = 0.0
    """Weight of −log of the probability that all digits have together, where a digit is due."""
    final_answer_only: bool = False
    """Leave a rationale's numbers to the cross-entropy; the numeric terms see the answer alone."""
    spread: Annotated[float, AfterValidator(_check_spread)] = 0.0
    """Experimental: draw each answer anew in every epoch from a bell around the truth, of this
    standard deviation in the answer's own steps, such as 0.8; 0 for the truth itself. Works with
    every loss, ce included; no validation or test sees it. A step is one in a number's last figure,
    a minute, or a thousandth of the picture's side for a box; texts are left alone."""
    options: dict[str, Any] | None = None
    """Options of the loss, such as {kernel: energy} of mmd."""


@dataclass(frozen=True, config=STRICT)
class Lora:
    """Further settings of the adapters, under the names that PEFT has for them."""

    use_dora: bool = False
    """DoRA: direction and length of each weight are trained separately; slower."""
    use_rslora: bool = False
    """Scale by lora_alpha / √r, for high ranks."""
    init_lora_weights: bool | Literal["gaussian", "orthogonal"] = True
    """true for PEFT's default, false for a random start, gaussian or orthogonal. PEFT's others
    change the base's weights or need data: a stored adapter would not fit the base it is opened on.
    """
    target_modules: Annotated[tuple[str, ...], Field(min_length=1)] | None = None
    """Only the linear layers of these names, such as [q_proj, v_proj]; all of a part if None."""
    r: dict[PartName, Rank] | None = None
    """Another rank for a part, such as {vision: 8}; its scale is lora_alpha / r."""


@dataclass(frozen=True, config=STRICT)
class Train:
    """The training, under the names that TRL and PEFT have for its settings."""

    samples: Many | None = None
    """Number of training samples; each epoch sees them all. Default: every row of data that has an
    end, 10,000 where something is drawn."""
    num_train_epochs: Factor = 1.0
    """Passes over the samples; max_steps overrides it."""
    max_steps: Many | Literal[-1] = -1
    """Optimizer steps, such as 200; -1 leaves the end to the epochs."""
    learning_rate: Factor = 2e-4
    """The maximum of the learning-rate schedule."""
    lr_scheduler_type: str = "cosine"
    """A learning-rate schedule that transformers knows, such as linear."""
    warmup_steps: Annotated[int, Field(ge=0, le=10**8)] = 0
    """Steps over which the rate rises from 0 to its maximum."""
    weight_decay: Annotated[float, Field(ge=0, le=10**6)] = 0.0
    """Weight decay of the optimizer, such as 0.01."""
    per_device_train_batch_size: Batch = 8
    """Samples in one forward pass on one device."""
    gradient_accumulation_steps: Batch = 1
    """Forward passes before an optimizer step."""
    max_length: Tokens | None = None
    """Most tokens of a sample; a longer one is refused, never cut. Default: the model's own
    limit."""
    activation_checkpointing: bool = False
    """Recompute activations in the backward pass: less memory, about a third more time."""
    language: TrainingMode = "lora"
    """Training of the language model."""
    vision: TrainingMode = "frozen"
    """Training of the vision tower."""
    projector: TrainingMode = "frozen"
    """Training of the projector, which leads from the vision tower to the language model."""
    lora_r: Rank = 16
    """Rank of the adapters."""
    lora_alpha: Annotated[int, Field(gt=0, le=10**6)] = 32
    """Scale of the adapters times their rank: their output is multiplied by lora_alpha / lora_r."""
    lora_dropout: Annotated[float, Field(ge=0, lt=1)] = 0.0
    """Dropout before the adapters, such as 0.05."""
    lora: Lora | None = None
    """Further settings of the adapters."""
    learning_rates: dict[PartName, Factor] | None = None
    """Another learning rate for a part, such as {vision: 2e-5}."""
    save_steps: Many = 500
    """Steps between checkpoints; a killed run resumes from the last one."""
    logging_steps: Many = 10
    """Steps between lines of the log."""
    eval_steps: Many | Literal["auto"] | None = "auto"
    """Steps between evaluations on held-out samples; each makes a checkpoint, and the best is
    taken. null for none, which keeps the last. Default: some ten evaluations where your own rows
    have a val split of 32 or more, else none."""
    eval_samples: Annotated[int, Field(gt=0, le=10**5)] = 64
    """Samples of such an evaluation, from the held-out split that `eval.split` is not."""
    metric: str = "correct"
    """Metric of the best checkpoint: `correct`, or a headline figure such as `time_deviation`."""
    patience: Many | None = None
    """Evaluations without a better one after which the training stops, such as 5."""
    report_to: tuple[Literal["tensorboard", "trackio", "wandb"], ...] = ()
    """Services that the log goes to besides the run's directory, such as [tensorboard]."""
    dataloader_num_workers: Annotated[int, Field(ge=0, le=1024)] = 0
    """Processes that draw or read samples during the training."""
    sft: dict[str, Any] | None = None
    """Any other field of TRL's SFTConfig, such as {max_grad_norm: 0.3}; none that would write or
    send a run elsewhere."""

    @property
    def step_size(self) -> int:
        """Number of samples of an optimizer step on one device."""
        return self.per_device_train_batch_size * self.gradient_accumulation_steps

    def __post_init__(self) -> None:
        # The sampler takes the indices of a step as one list.
        step = self.step_size
        if step > _LARGEST_STEP:
            raise ValueError(
                f"per_device_train_batch_size={self.per_device_train_batch_size} times"
                f" gradient_accumulation_steps={self.gradient_accumulation_steps} are {step:,}"
                f" samples a step, which are read together: give at most {_LARGEST_STEP:,}"
            )
        if self.patience is not None and self.validation_steps is None:
            raise ValueError(f"patience={self.patience} counts evaluations: give eval_steps, too")
        # A rate or a rank of a part that has nothing to train would be ignored in silence.
        for part in self.learning_rates or ():
            if getattr(self, part) == "frozen":
                raise ValueError(f"learning_rates.{part}: {part} is frozen: set it to lora or full")
        for part in (self.lora and self.lora.r) or ():
            if getattr(self, part) != "lora":
                raise ValueError(f"lora.r.{part}: {part} has no adapters: set it to lora")
        if {self.language, self.vision, self.projector} == {"frozen"}:
            raise ValueError("language, vision and projector are all frozen: nothing would train")
        check_sft(self.sft or {})

    @property
    def validation_steps(self) -> int | None:
        """Steps between evaluations; None if there are none, or as long as that is open."""
        return None if self.eval_steps == "auto" else self.eval_steps

    def rank(self, part: PartName) -> int:
        """Return the rank of a part's adapters."""
        return ((self.lora and self.lora.r) or {}).get(part, self.lora_r)


@dataclass(frozen=True, config=STRICT)
class Eval:
    """The questions that the model is measured on, and how it answers them."""

    samples: HowMany = None
    """Number of samples of the held-out split, or all. Default: 500, or all if it has fewer."""
    split: Literal["val", "test", "all"] = "test"
    """The held-out split; or all rows of files of your own that eval.data names."""
    seed: Seed = 0
    """Seed of the held-out samples: runs of all recipe seeds answer the same questions."""
    data: tuple[Source, ...] | None = None
    """Sources of the questions instead of the training's, such as unseen styles or photographs."""
    batch_size: Batch = 16
    """Samples in one generation batch; it does not change the answers in float32."""
    max_new_tokens: Tokens = 32
    """Tokens after which an answer is cut; it counts as unread if that breaks it."""
    answer_seconds: Annotated[float, Field(gt=0, le=10**6)] = 900.0
    """Seconds that a server has for an answer, with all tries and the waits between them; a single
    try gets a third of it."""
    belief: bool | Annotated[tuple[AnswerText, ...], Field(min_length=1)] = False
    """Store the probability of every minute of a clock, whole number to 100 or choice of a text,
    and of each number of a box; or of each answer in a list, such as [0, 1, 2]."""

    answer: Literal["greedy", "mode", "median", "mean"] = "greedy"
    """The answer that is given: greedy decoding's, or the likeliest, the median or the mean of the
    belief in the possible answers: those of `belief` or `grid`, or all minutes of a clock, steps of
    a scale that goes round, choices of a text. Of boxes each number is chosen so, one by one."""
    views: Literal[1, 3] = 1
    """With 3, beliefs are averaged over three views of a picture: as it is, cut off at its edges,
    and with wider ones. Photographs of dials are read better so, in up to three times the time."""
    repeats: Annotated[int, Field(gt=1, le=1000)] = 20
    """Answers that a model behind a server draws to a question where a belief is needed, for which
    a local model lists all: more are dearer and surer."""
    grid: Grid | None = None
    """First, last and step of the possible numbers, such as [0, 9.9, 0.1], for `answer` and
    `belief`. Of more than 10,000, as of counters, the likeliest are searched figure by figure."""

    @property
    def chooses_from_belief(self) -> bool:
        """True if the answer is chosen from a belief, and not written by greedy decoding."""
        return self.answer != "greedy"

    @property
    def computes_belief(self) -> bool:
        """True if probabilities of answers are computed: to be stored, or to choose by."""
        return bool(self.belief) or self.chooses_from_belief

    @property
    def grid_values(self) -> tuple[Decimal, ...]:
        """Numbers of the grid, with the decimals of its step; empty without one, or a wide one."""
        if self.grid is None or self.wide_grid is not None:
            return ()
        first, last, step = grid_decimals(self.grid)
        return tuple(first + n * step for n in range(int((last - first) / step) + 1))

    @property
    def wide_grid(self) -> GridDecimals | None:
        """First, last and step of a grid too long for a list, whose numbers are searched."""
        return None if self.grid is None else wide_grid(self.grid)

    def __post_init__(self) -> None:
        if self.grid is not None:
            first, last, step = self.grid
            if not (last > first and 0 < step <= last - first):
                raise ValueError(
                    f"grid={list(self.grid)}: give first, last and step, such as [0, 9.9, 0.1]"
                )
            if self.wide_grid is not None and first < 0:
                raise ValueError(
                    f"grid={list(self.grid)}: more than {MOST_ANSWERS:,} numbers are not listed but"
                    " searched, and that from 0 on: give a first of 0 or more"
                )
            if not self.computes_belief:
                raise ValueError(
                    "grid: nothing is chosen from it with answer=greedy: set eval.answer=median, or"
                    " eval.belief=true"
                )
        if self.views > 1 and not self.computes_belief:
            raise ValueError(
                f"views={self.views}: what is averaged over views is a belief: set"
                " eval.answer=mode, or leave eval.views out"
            )
        is_table = self.data and not any(s.kind or s.benchmark for s in self.data)
        if self.split == "all" and not is_table:
            raise ValueError("split=all: only files of your own have it, named under eval.data")


@dataclass(frozen=True, config=STRICT)
class Recipe:
    """A whole run: data, model, loss, train, eval, and the seed of all that training draws."""

    data: Annotated[tuple[Source, ...], Field(min_length=1)]
    """The sources of the samples, such as [{kind: clock}, {path: my.csv}]."""
    model: Model = Model()
    """The model, and the precision of its weights."""
    loss: Loss = Loss()
    """The numeric loss beside the cross-entropy."""
    train: Train = Train()
    """The training."""
    eval: Eval = Eval()
    """The questions that it is measured on."""
    seed: Seed = 0
    """Seed of the training samples, their order and the adapters' first weights."""

    @property
    def validation_split(self) -> Literal["val", "test"]:
        """Split of the evaluations during training: never the one of the final exam."""
        return "test" if self.eval.split == "val" else "val"

    def __post_init__(self) -> None:
        # Beliefs of many answers are read in one pass under a custom mask.
        attention = self.model.attn_implementation or ""
        if self.eval.computes_belief and attention.startswith("flash"):
            key = "belief" if self.eval.belief else "answer"
            raise ValueError(
                f"eval.{key}: answers share their prompt by a mask that {attention} does not take:"
                " leave model.attn_implementation out"
            )
        # bitsandbytes has no gradients for its packed weights.
        if self.model.bits and self.train.language == "full":
            raise ValueError(
                f"train.language=full: weights in {self.model.bits} bits cannot be trained; set it"
                f" to lora, or model.load_in_{self.model.bits}bit=false"
            )
        whole = [part for part in get_args(PartName) if getattr(self.train, part) == "full"]
        if self.model.dtype == "float16" and whole:
            raise ValueError(
                f"model.dtype=float16, train.{whole[0]}=full: weights in float16 lose small"
                " gradients, and no loss scaler is used here: leave model.dtype out"
            )
