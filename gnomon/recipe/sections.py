"""The sections of a recipe: keys, types, defaults, and refused combinations."""

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
from gnomon.recipe.grpo import Grpo, check_grpo
from gnomon.redact import check_url

PartName = Literal["language", "vision", "projector"]
TrainingMode = Literal["frozen", "lora", "full"]
"""Training of one part of a model: frozen, by adapters, or of all its weights."""


# A misspelled key is an error, and neither "8" nor infinity is a number.
STRICT = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


Seed = Annotated[int, Field(ge=0, lt=2**32)]
"""Seed that numpy, torch and random all accept."""

Many = Annotated[int, Field(gt=0, le=10**8)]
"""Number of samples or steps. Larger numbers overflow in the libraries, or fill the memory with
indices."""
Batch = Annotated[int, Field(gt=0, le=2**16)]
"""Number of samples that are in memory together."""
Tokens = Annotated[int, Field(gt=0, le=10**7)]
"""Number of tokens of a text. The limit is more than any model reads."""
Area = Annotated[int, Field(gt=0, le=10**8)]
"""Number of pixels of a picture. Larger pictures are not opened."""
LARGEST_RANK = 2**14
"""Width of the largest language models, more than an adapter's rank can use."""
Rank = Annotated[int, Field(gt=0, le=LARGEST_RANK)]
"""Rank of an adapter."""
Factor = Annotated[float, Field(gt=0, le=10**6)]
"""Positive factor. Libraries store it in 32 bits."""
_LARGEST_STEP = 2**20
"""Number of samples that one optimizer step reads."""


def _as_text(value: Any) -> Any:
    """Turn a number that YAML read into the intended text. Refuse a bool, which may have been yes
    or no."""
    if isinstance(value, bool):
        raise ValueError(
            f"{str(value).lower()} is not a text: put yes, no, on, off, true and false in quotes"
        )
    return str(value) if isinstance(value, int | float) else value


AnswerText = Annotated[str, BeforeValidator(_as_text, json_schema_input_type=str | int | float)]
"""Answer as the model writes it. A number becomes its text."""


HowMany: TypeAlias = Many | Literal["all"] | None


def _check_grid(value: Any) -> tuple[Any, ...]:
    """Refuse a list of another length in words, because the message of a type of three numbers
    would be unclear."""
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
"""Strength of the augmentation of a user's pictures in training."""

BoxFormat = Literal["xyxy", "xywh", "cxcywh", "xyxy_1", "cxcywh_1", "xyxy_1000"]


@dataclass(frozen=True, config=STRICT)
class Columns:
    """Columns of a user's own table, and how its answers are written."""

    image: str | None = "image"
    """Column with the path of the picture, relative to the file's folder. Default: image, or
    file_name if the image column is missing. null: the questions come without pictures. Formats:
    PNG, JPEG, WebP, BMP, GIF or TIFF, up to 89,478,485 pixels."""
    more_images: tuple[str, ...] = ()
    """Further columns with pictures of the same question, in order, such as [left, right]. An empty
    cell adds no picture. If a column holds a list of pictures, all of them belong to the
    question."""
    question: str = "question"
    """Column with the question."""
    ask: str | None = None
    """One question for all rows instead of the column, such as 'What time is it?'."""
    answer: str = "answer"
    """Column with the answer."""
    steps: str | None = None
    """Column with what the picture shows, which answers then state before their value, or a text
    with columns in braces, such as 'short hand {hour}, long hand {minute}'. A row with an empty
    cell among them has no steps."""
    kind: str = "text"
    """Type of the answers: time, number, box, boxes (any number of them), table or text."""
    hours: Literal[12, 24] = 12
    """Hours of the clocks, if the answers are times."""
    seconds: Literal["drop"] | None = None
    """drop: ignore the seconds of the labels, so 10:08:59 becomes 10:08, as questions for HH:MM
    need. Default: an answer has seconds if its label has them."""
    unit: str | Annotated[tuple[str, ...], Field(min_length=1)] = ""
    """Unit of the numbers, such as kWh. Labels may contain it, as in 12 kWh. With a list, such as
    [kWh, KWH, kwh], labels may contain any of them, and answers are written with the first. Or the
    column with the unit of each row, in a table of many instruments. If there is a column of that
    name, [kWh] means the unit."""
    decimal: Literal["point", "comma"] | None = None
    """Decimal mark of the numbers, point or comma. Give it if a label has a decimal comma, or is
    ambiguous such as 1,234."""
    within: Annotated[float, Field(ge=0, le=1e300)] | Annotated[str, Field(min_length=1)] = 0.0
    """Largest difference at which a number counts as right, such as 0.5; or the column with the
    difference for each row."""
    cycle: Annotated[float, Field(ge=0, le=1e9)] = 0.0
    """Value at which the scale starts again: 10 for a meter's dial, so 9.9 is a tenth from 0.0,
    or 360 for a compass in degrees. Errors are then measured the shorter way round. 0: the
    scale does not start again."""
    digits: Annotated[int, Field(ge=0, le=30)] | Literal["label"] | None = None
    """Digits of a counter before the point, such as 5: answers are then written 05098 instead of
    5098, and also measured digit by digit. label: as many as each label has, which must be a text
    such as '05098'. 0: a plain number."""
    choices: str | tuple[AnswerText, ...] | None = None
    """Possible texts, if all questions have the same, such as [open, closed]; or the column with
    the choices of each row, such as options. An answer is then a letter, such as C, or a text of
    the choices. Questions that do not list the choices get them."""
    unreadable: bool | Annotated[tuple[AnswerText, ...], Field(min_length=1)] = False
    """Labels that mean that the picture cannot be read. The model learns to answer `unreadable`.
    true: empty cells, NaN, n/a, unreadable, not readable and illegible; or your own words, such as
    [blurred, ''] with '' for an empty cell. Default: such labels are refused."""
    box_format: BoxFormat = "xyxy"
    """Format of the boxes. In pixels: corners, corner and size, or middle and size. Or corners on
    0..1 or 0..1000, or middle and size on 0..1, as in YOLO."""
    group: str | None = None
    """Column such as patient: rows with the same value are always in one split. Default: rows with
    the same picture path are in one split."""
    split: str | None = None
    """Column with train, val or test. Default: 80, 10 and 10 % by a hash of the group."""

    def __post_init__(self) -> None:
        # Types of answers come from a registry, so the annotation cannot list them.
        if self.kind not in COLUMN_TARGETS:
            raise ValueError(f"kind={self.kind!r}: {hint(self.kind, COLUMN_TARGETS)}")
        if isinstance(self.choices, str) and self.kind != "text":
            raise ValueError(f"choices are for kind=text, not for kind={self.kind}")
        for choice in self.listed_choices:
            if (choice == WORD and self.unreadable) or is_unreadable_label(choice, self.unreadable):
                raise ValueError(
                    f"choices: {choice!r} is a choice, and `unreadable` covers it as well:"
                    " leave it out of one of them"
                )

    @property
    def listed_choices(self) -> tuple[str, ...]:
        """Choices that are the same for all rows."""
        return self.choices if isinstance(self.choices, tuple) else ()

    @property
    def units(self) -> tuple[str, ...]:
        """Spellings of the unit that labels may have. Answers are written with the first."""
        return (self.unit,) if isinstance(self.unit, str) else self.unit


@dataclass(frozen=True, config=STRICT)
class Source:
    """Source of samples: a generated kind, a dataset directory, or a user's own pictures."""

    kind: str | None = None
    """Generated kind, such as clock. `gnomon ls generators` lists the kinds."""
    path: str | None = None
    """Dataset directory, as `gnomon generate` writes it; or your own table (.csv, .tsv, .json,
    .jsonl, .parquet, or the .xml of CVAT) or folder. Rows may be chats, with `messages` or
    `conversations` instead of question and answer. The path is searched first next to the recipe's
    file, then in the working directory."""
    benchmark: str | None = None
    """Benchmark of the file at the path, such as chartqa. `gnomon ls benchmarks` lists them."""
    hub: str | None = None
    """Dataset of the Hugging Face hub, by owner/name."""
    columns: Columns | None = None
    """Columns of your own file, or of the hub's dataset."""
    pictures: str | None = None
    """Further folder for the pictures of your own file. By default they must lie in the file's
    folder, and names and links that lead elsewhere are refused. For rows of the hub they are always
    refused."""
    on_bad: Literal["refuse", "skip"] = "refuse"
    """Treatment of your own rows, or a benchmark's, that are unusable, including broken pictures.
    refuse: raise an error that lists them. skip: leave them out and list them."""
    augment: Augment | None = None
    """Augmentation of your own pictures in training, such as off or heavy: exposure, colours,
    noise, blur, JPEG, a slight move, glare or a partly covered picture, different in every epoch.
    Pictures are never mirrored, boxes move along, and test pictures stay unchanged. Default: light
    for your own rows, off for a dataset that gnomon drew."""
    weight: Annotated[float, Field(gt=0, le=10**9)] = 1.0
    """Share of the samples, relative to the other sources' weights: 2.0 is drawn twice as often as
    1.0."""
    options: dict[str, Any] | None = None
    """Options of the kind, such as {size: 112}. `gnomon ls generators` lists them."""

    def __post_init__(self) -> None:
        # Benchmarks and columns refine a path, so only these three name a source.
        if sum(name is not None for name in (self.kind, self.path, self.hub)) != 1:
            raise ValueError("give a source either a kind, a path or a dataset of the hub")
        if self.kind is None and self.options:
            raise ValueError("options belong to a kind; a path has none")
        if self.kind is not None and (self.columns or self.on_bad != "refuse"):
            raise ValueError("columns and on_bad belong to a file of your own; a kind has none")
        if self.kind is not None and self.augment is not None:
            raise ValueError("augment is for pictures of your own: a kind has options.degrade")
        if self.pictures is not None and self.path is None:
            raise ValueError("pictures belongs to a file of your own: a kind or the hub has none")
        if self.benchmark is not None and (self.path is None or self.columns):
            raise ValueError("a benchmark needs a path and has known columns: leave columns out")

    @property
    def has_steps(self) -> bool:
        """True if training answers may state steps before their value."""
        return _have_steps(self.options) or bool(self.columns and self.columns.steps)


def _have_steps(options: Any) -> bool:
    """Return True if options of a kind, or of a part of a mixture, ask for steps."""
    if isinstance(options, dict):
        return options.get("answer", "value") != "value" or _have_steps([*options.values()])
    return isinstance(options, list | tuple) and any(map(_have_steps, options))


@dataclass(frozen=True, config=STRICT)
class AutoFamily:
    """Facts about a checkpoint that no family covers. They override what gnomon finds out."""

    language: tuple[str, ...] | None = None
    """Names of the modules of the language model, such as [model.text_model]. Together with vision
    and projector they decide which layers get adapters and which stay in 16 bits."""
    vision: tuple[str, ...] | None = None
    """Names of the modules of the vision tower, such as [model.vision_model]."""
    projector: tuple[str, ...] | None = None
    """Names of the modules between vision and language, such as [model.connector]. They may be part
    of the vision tower."""
    lead: str | None = None
    """Text between the prompt and an answer, such as the space after `Assistant:`."""
    end: str | None = None
    """Token that ends an answer, such as <|im_end|>."""
    dialect: str | None = None
    """Dialect of the model's boxes, such as qwen2-vl or gemini. Default: plain, on
    0..1."""
    template_options: dict[str, Any] | None = None
    """Options of the chat template, such as {enable_thinking: false}."""
    pictures: dict[str, Any] | None = None
    """Settings of its image processor, such as {size: {longest_edge: 490}}."""


@dataclass(frozen=True, config=STRICT)
class Model:
    """The model, and the precision of its weights."""

    name: str = "gnomon-tiny"
    """`gnomon-tiny`, a local directory, or a hub id. A directory is searched first next to the
    recipe's file, then in the working directory."""
    family: str | None = None
    """Model family, such as qwen2-vl, if model_type does not name it. `gnomon ls families` lists
    them."""
    auto: AutoFamily | None = None
    """Facts that `family: auto` need not find out. `gnomon plan` prints the facts that it found."""
    server: str | None = None
    """OpenAI-compatible server with the model, such as http://localhost:8000/v1. It is asked and
    never trained. A key is read from OPENAI_API_KEY and never written."""
    load_in_4bit: bool = True
    """NF4 for the language model's linear layers, as in QLoRA."""
    load_in_8bit: bool = False
    """LLM.int8() for these layers instead of 4 bits."""
    bnb_4bit_use_double_quant: bool = True
    """Also quantise the scales of 4-bit layers, which saves 0.4 bits per weight."""
    attn_implementation: str | None = None
    """sdpa, eager, flash_attention_2 or another that transformers knows. Default: the choice of
    transformers."""
    dtype: Literal["bfloat16", "float16", "float32"] | None = None
    """Precision of all weights that are not in 4 bits, and of the computation. Default: bfloat16 on
    a GPU, and float32 on a CPU, because few CPUs multiply 16 bits fast."""
    min_pixels: Area | None = None
    """Smaller pictures are enlarged to this area in pixels. Default: the family's limit."""
    max_pixels: Area | None = None
    """Larger pictures are shrunk to this area, such as 262144. Default: the family's limit."""

    @property
    def bits(self) -> int | None:
        """Bits of the language model's linear layers if they are quantised. None otherwise."""
        return 8 if self.load_in_8bit else 4 if self.load_in_4bit else None

    @property
    def settings(self) -> dict[str, Any]:
        """Settings that answers depend on."""
        return asdict(self)

    def __post_init__(self) -> None:
        if self.load_in_8bit and self.load_in_4bit:
            raise ValueError("load_in_8bit=true: set load_in_4bit=false as well")
        if self.min_pixels and self.max_pixels and self.min_pixels > self.max_pixels:
            raise ValueError(
                f"min_pixels={self.min_pixels} is more than max_pixels={self.max_pixels}"
            )
        if self.server:  # a login in it would be written into the run
            check_url(self.server)


# With a bell of 0.25 steps, one draw in 1,500 differs from the truth. A bell of 100 steps hides
# it.
_SPREADS = 0.25, 100.0


def _check_spread(width: float) -> float:
    low, high = _SPREADS
    if width and not low <= width <= high:
        raise ValueError(
            f"{width:g}: give a standard deviation from {low:g} to {high:g} steps of the answer,"
            " such as 0.8, or 0 for none"
        )
    return width


@dataclass(frozen=True, config=STRICT)
class Loss:
    """The numeric loss that is added to the cross-entropy."""

    name: str = "crps"
    """`ce` for the cross-entropy only, or another loss such as crps. `gnomon ls losses` lists
    them."""
    weight: Annotated[float, Field(ge=0, le=10**9)] = 1.0
    """total = CE + weight · loss."""
    balance: Literal["fixed", "ce_ratio"] = "fixed"
    """`ce_ratio` scales the loss to the size of the cross-entropy at each step, as published for
    NTIL."""
    schedule: Literal["constant", "cosine"] = "constant"
    """Course of the weight: constant, or falling to 0 along a cosine by the end."""
    warmup: Annotated[float, Field(ge=0, le=1)] = 0.0
    """Share of the training, such as 0.1, over which the weight rises from 0 before its
    schedule."""
    numeric_mass: Annotated[float, Field(ge=0, le=10**9)] = 0.0
    """Weight of −log of the probability that all digits have together at the place of a digit."""
    on: Literal["answer", "all"] = "answer"
    """Numbers that the numeric terms are about: those of the final answer only, or all numbers of
    a training answer, including those of its steps or its working."""
    spread: Annotated[float, AfterValidator(_check_spread)] = 0.0
    """Experimental: in every epoch, draw each answer from a bell around the truth with this
    standard deviation in steps of the answer, such as 0.8; 0 for the truth itself. It works with
    every loss, including ce, and never affects validation or test. A step is one in a number's last
    digit, a minute, or a thousandth of the picture's side for a box. Texts stay unchanged."""
    options: dict[str, Any] | None = None
    """Options of the loss, such as {kernel: energy} of mmd."""


@dataclass(frozen=True, config=STRICT)
class Lora:
    """Further settings of the adapters, named as in PEFT."""

    use_dora: bool = False
    """DoRA: direction and length of each weight are trained separately. It is slower."""
    use_rslora: bool = False
    """Scale by lora_alpha / √r, for high ranks."""
    init_lora_weights: bool | Literal["gaussian", "orthogonal"] = True
    """true for PEFT's default, false for a random start, gaussian or orthogonal. PEFT's other
    methods change the base's weights or need data, so a stored adapter would not fit its base."""
    target_modules: Annotated[tuple[str, ...], Field(min_length=1)] | None = None
    """Only the linear layers of these names, such as [q_proj, v_proj]. None: all layers of a
    part."""
    r: dict[PartName, Rank] | None = None
    """Different rank for a part, such as {vision: 8}. Its scale is lora_alpha / r."""


@dataclass(frozen=True, config=STRICT)
class Train:
    """The training, with settings named as in TRL and PEFT."""

    method: Literal["sft", "grpo"] = "sft"
    """sft: supervised, on the true answers. grpo: by reinforcement learning, with rewards for
    sampled answers. It trains an adapter that a supervised run began, or a model that can already
    answer."""
    grpo: Grpo | None = None
    """Settings of method=grpo."""
    samples: Many | None = None
    """Number of training samples per epoch. Default: every row of data that has an end, or 10,000
    if something is drawn."""
    num_train_epochs: Factor = 1.0
    """Passes over the samples. max_steps overrides it."""
    max_steps: Many | Literal[-1] = -1
    """Optimizer steps, such as 200. -1: the epochs decide."""
    learning_rate: Factor = 2e-4
    """Maximum of the learning-rate schedule."""
    lr_scheduler_type: str = "cosine"
    """Learning-rate schedule that transformers knows, such as linear."""
    warmup_steps: Annotated[int, Field(ge=0, le=10**8)] = 0
    """Steps over which the rate rises from 0 to its maximum."""
    weight_decay: Annotated[float, Field(ge=0, le=10**6)] = 0.0
    """Weight decay of the optimizer, such as 0.01."""
    per_device_train_batch_size: Batch = 8
    """Samples in one forward pass on one device."""
    gradient_accumulation_steps: Batch = 1
    """Forward passes before an optimizer step."""
    max_length: Tokens | None = None
    """Largest number of tokens of a sample. A longer sample is refused, never truncated. Default:
    the model's limit."""
    activation_checkpointing: bool = False
    """Recompute activations in the backward pass: less memory, about a third more time."""
    language: TrainingMode = "lora"
    """Training of the language model."""
    vision: TrainingMode = "frozen"
    """Training of the vision tower."""
    projector: TrainingMode = "frozen"
    """Training of the projector between the vision tower and the language model."""
    lora_r: Rank = 16
    """Rank of the adapters."""
    lora_alpha: Annotated[int, Field(gt=0, le=10**6)] = 32
    """Scale of the adapters times their rank: their output is multiplied by lora_alpha / lora_r."""
    lora_dropout: Annotated[float, Field(ge=0, lt=1)] = 0.0
    """Dropout before the adapters, such as 0.05."""
    lora: Lora | None = None
    """Further settings of the adapters."""
    learning_rates: dict[PartName, Factor] | None = None
    """Different learning rate for a part, such as {vision: 2e-5}."""
    save_steps: Many = 500
    """Steps between checkpoints. A killed run resumes from the last checkpoint."""
    logging_steps: Many = 10
    """Steps between lines of the log."""
    eval_steps: Many | Literal["auto"] | None = "auto"
    """Steps between evaluations on held-out samples. Each saves a checkpoint, and the best is kept.
    null: no evaluations, and the last checkpoint is kept. Default: about ten evaluations if your
    own rows have a val split of at least 32, otherwise none."""
    eval_samples: Annotated[int, Field(gt=0, le=10**5)] = 64
    """Samples of such an evaluation, from the held-out split that `eval.split` does not use."""
    metric: str = "correct"
    """Metric of the best checkpoint: `correct`, or a headline figure such as `time_deviation`."""
    patience: Many | None = None
    """Evaluations without improvement after which the training stops, such as 5."""
    report_to: tuple[Literal["tensorboard", "trackio", "wandb"], ...] = ()
    """Services that also receive the log, such as [tensorboard]."""
    dataloader_num_workers: Annotated[int, Field(ge=0, le=1024)] = 0
    """Processes that draw or read samples during the training."""
    sft: dict[str, Any] | None = None
    """Any other field of TRL's SFTConfig, such as {max_grad_norm: 0.3}, except fields that would
    write or send a run elsewhere."""

    @property
    def step_size(self) -> int:
        """Number of samples, or of sampled answers, of an optimizer step on one device."""
        return self.per_device_train_batch_size * self.gradient_accumulation_steps

    @property
    def samples_per_step(self) -> int:
        """Number of samples of an optimizer step on one device. GRPO answers each several times."""
        group = (self.grpo or Grpo()).num_generations if self.method == "grpo" else 1
        return self.step_size // group

    def __post_init__(self) -> None:
        # The sampler takes the indices of a step as one list.
        step = self.step_size
        if step > _LARGEST_STEP:
            raise ValueError(
                f"per_device_train_batch_size={self.per_device_train_batch_size} times"
                f" gradient_accumulation_steps={self.gradient_accumulation_steps} are {step:,}"
                f" samples per step: give at most {_LARGEST_STEP:,}"
            )
        if self.patience is not None and self.validation_steps is None:
            raise ValueError(
                f"patience={self.patience} counts evaluations: give eval_steps as well"
            )
        # A rate or a rank for a part that does not train would be ignored silently.
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
        """Steps between evaluations. None if there are no evaluations, or while this is
        undecided."""
        return None if self.eval_steps == "auto" else self.eval_steps

    def rank(self, part: PartName) -> int:
        """Return the rank of a part's adapters."""
        return ((self.lora and self.lora.r) or {}).get(part, self.lora_r)


@dataclass(frozen=True, config=STRICT)
class Eval:
    """The questions that measure the model, and how it answers them."""

    samples: HowMany = None
    """Number of samples of the held-out split, or all. Default: 500, or all if there are fewer."""
    split: Literal["val", "test", "all"] = "test"
    """Held-out split. all: every row of your own files in eval.data."""
    seed: Seed = 0
    """Seed of the held-out samples. Runs of all recipe seeds answer the same questions."""
    data: tuple[Source, ...] | None = None
    """Sources of the questions instead of the training's sources, such as unseen styles or
    photographs."""
    guard: str | tuple[str, ...] | None = None
    """Files that show whether the training makes the model forget, such as [sums.csv, page.txt]:
    tables with question, answer and perhaps image, a dataset, or texts (.txt, .md). They are
    measured with the model from before the training and with the trained model."""
    batch_size: Batch = 16
    """Samples in one generation batch. In float32 it does not change the answers."""
    max_new_tokens: Tokens | None = None
    """Tokens after which an answer is cut. If the cut breaks an answer, it counts as unread.
    Default: 32, or 128 if a source has steps before its answers."""
    answer_seconds: Annotated[float, Field(gt=0, le=10**6)] = 900.0
    """Seconds that a server has for an answer, including all tries and waits. A single try gets a
    third of it."""
    belief: bool | Annotated[tuple[AnswerText, ...], Field(min_length=1)] = False
    """Store the probability of every minute of a clock, whole number to 100 or choice of a text,
    and of each number of a box; or of each answer in a list, such as [0, 1, 2]."""

    answer: Literal["greedy", "mode", "median", "mean"] = "greedy"
    """Rule for the answer: greedy decoding, or the mode, the median or the mean of the
    probabilities of all possible answers. These are the answers of `belief` or `grid`, or all
    minutes of a clock, steps of a cyclic scale, or choices of a text. For boxes the rule applies to
    each number separately."""
    wording: Literal["given", "trained"] = "given"
    """trained: for models that know only the questions of their training, such as gnomon-tiny. The
    trained question with answers of the same type is asked in place of an unknown question. If the
    question lists times or numbers, such as A. 9:27, the answer is the option in which the model
    believes most. given: questions are asked as they are."""
    views: Literal[1, 3] = 1
    """With 3, probabilities are averaged over three views of a picture: unchanged, cropped at its
    edges, and with wider edges. This reads photographs of dials better, in up to three times the
    time."""
    repeats: Annotated[int, Field(gt=1, le=1000)] = 20
    """Number of answers that a server draws to a question if probabilities are needed. A local
    model lists all answers instead. More answers cost more and give better estimates."""
    grid: Grid | None = None
    """First, last and step of the possible numbers, such as [0, 9.9, 0.1], for `answer` and
    `belief`. If there are more than 10,000, as for counters, the most likely are searched digit by
    digit."""

    @property
    def guard_files(self) -> tuple[str, ...]:
        """Files of the guard. Empty without a guard."""
        return (self.guard,) if isinstance(self.guard, str) else self.guard or ()

    @property
    def chooses_from_belief(self) -> bool:
        """True if the answer is chosen by probabilities instead of greedy decoding."""
        return self.answer != "greedy"

    @property
    def computes_belief(self) -> bool:
        """True if probabilities of answers are computed, to be stored or to choose by."""
        return bool(self.belief) or self.chooses_from_belief

    @property
    def grid_values(self) -> tuple[Decimal, ...]:
        """Numbers of the grid, with the decimals of its step. Empty without a grid, or for a large
        grid."""
        if self.grid is None or self.wide_grid is not None:
            return ()
        first, last, step = grid_decimals(self.grid)
        return tuple(first + n * step for n in range(int((last - first) / step) + 1))

    @property
    def wide_grid(self) -> GridDecimals | None:
        """First, last and step of a grid that is too long to list, so its numbers are searched."""
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
                    f"grid={list(self.grid)}: more than {MOST_ANSWERS:,} numbers are searched"
                    " instead of listed, and the search starts at 0: give a first of 0 or more"
                )
            if not self.computes_belief:
                raise ValueError(
                    "grid: answer=greedy does not use a grid: set eval.answer=median, or"
                    " eval.belief=true"
                )
        if self.views > 1 and not self.computes_belief:
            raise ValueError(
                f"views={self.views}: only a belief can be averaged over views: set"
                " eval.answer=mode, or leave eval.views out"
            )
        is_table = self.data and not any(s.kind or s.benchmark for s in self.data)
        if self.split == "all" and not is_table:
            raise ValueError("split=all works only for your own files, named under eval.data")


_ANSWER, _LONG_ANSWER = 32, 128
"""Default numbers of tokens of an answer, without and with steps."""


@dataclass(frozen=True, config=STRICT)
class Recipe:
    """A whole run: data, model, loss, training, evaluation, and the seed of all training."""

    data: Annotated[tuple[Source, ...], Field(min_length=1)]
    """Sources of the samples, such as [{kind: clock}, {path: my.csv}]."""
    model: Model = Model()
    """The model, and the precision of its weights."""
    loss: Loss = Loss()
    """The numeric loss, which is added to the cross-entropy."""
    train: Train = Train()
    """The training."""
    eval: Eval = Eval()
    """The questions that measure the run."""
    seed: Seed = 0
    """Seed of the training samples, their order and the adapters' initial weights."""

    @property
    def has_steps(self) -> bool:
        """True if a source of training samples or questions has steps before its answers."""
        return any(source.has_steps for source in (*self.data, *(self.eval.data or ())))

    @property
    def max_new_tokens(self) -> int:
        """Tokens after which an answer is cut."""
        return self.eval.max_new_tokens or (_LONG_ANSWER if self.has_steps else _ANSWER)

    @property
    def validation_split(self) -> Literal["val", "test"]:
        """Split of the evaluations during training. It is never the split of the final
        evaluation."""
        return "test" if self.eval.split == "val" else "val"

    def __post_init__(self) -> None:
        check_grpo(self)
        # Probabilities of many answers are computed in one pass under a custom mask.
        attention = self.model.attn_implementation or ""
        if self.eval.computes_belief and attention.startswith("flash"):
            key = "belief" if self.eval.belief else "answer"
            raise ValueError(
                f"eval.{key}: answers share their prompt by a mask that {attention} does not"
                " support: leave model.attn_implementation out"
            )
        # bitsandbytes does not have gradients for its packed weights.
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
