"""The answer's rows through a model's head: together, or in chunks if they are many.

Shapes: B batch, T tokens, P rows of the answer, H hidden, V vocabulary.
"""

from inspect import signature
from typing import Any

import torch
from peft import PeftModel
from torch import Tensor
from torch.nn import Module
from transformers import PreTrainedModel

from gnomon.losses import Objective
from gnomon.pipeline.families import releases

RESCALING_KEYS = (
    "final_logit_softcapping",  # Gemma
    "logit_scale",  # Cohere
    "logits_scaling",  # Granite
    "lm_head_multiplier",  # Falcon-H1
    "output_multiplier",
)
"""Config keys under which models rescale the logits after their head."""


def rows_in_one_pass(
    model: Module,
    inputs: dict[str, Any],
    answer: Tensor,
    targets: Tensor,
    *,
    objective: Objective,
    head: Module,
    answer_only: bool,
) -> tuple[Tensor, Any]:
    """Run the model and pack the answer's rows for the objective. Also return the outputs.

    `answer` marks the answer's positions, [B, T] bool, and `targets` are its [P] tokens. With
    `answer_only` the model computes no other logits, which needs `supports_logits_to_keep`.
    """
    if answer_only:
        with releases.only_answer_rows(head, answer) as arguments:
            outputs = model(**inputs, **arguments)
        return objective.rows(outputs.logits, targets), outputs
    outputs = model(**inputs)
    # Prompt tuning puts virtual tokens before each row.
    logits = outputs.logits[:, -answer.shape[1] :][answer]
    return objective.rows(logits, targets), outputs


def rows_in_chunks(
    model: Module,
    inputs: dict[str, Any],
    answer: Tensor,
    targets: Tensor,
    *,
    objective: Objective,
    head: Module,
    chunk: int,
) -> tuple[Tensor, Any]:
    """Run the model, but pass only `chunk` of the answer's rows through its head at a time.

    Returns the packed rows for the objective, and the outputs, which hold these rows in place of
    logits. The head is replaced during the model's forward pass because DDP and FSDP have its
    weights ready only then.
    """
    packed: list[Tensor] = []

    def packing_head(hidden: Tensor) -> Tensor:
        packed.append(objective.rows_from_hidden(hidden, targets, project, chunk=chunk))
        return packed[0]

    with (
        releases.replaced_forward(head, packing_head) as project,
        releases.only_answer_rows(head, answer) as arguments,
    ):
        outputs = model(**inputs, **arguments)
    # If a model changes its logits after the head, it has changed the packed rows. DDP and mixed
    # precision return a copy instead, and comparing its values waits for the device.
    if outputs.logits is not packed[0] and not torch.allclose(
        outputs.logits, packed[0], rtol=0, atol=0, equal_nan=True
    ):
        raise ValueError(
            f"{type(model).__name__} changes the logits after its head, so"
            f" {len(packed[0])} rows cannot go through it {chunk} at a time: set the trainer's"
            " logits_at_once to a larger number"
        )
    return outputs.logits, outputs


def supports_logits_to_keep(model: PreTrainedModel | PeftModel) -> bool:
    """Return True if the model can compute the logits of some positions only."""
    if isinstance(model, PeftModel):
        if model.active_peft_config.is_prompt_learning:  # its virtual tokens shift the positions
            return False
        # PEFT's forward accepts any keyword. The signature of the base names its own.
        model = model.get_base_model()
    return "logits_to_keep" in signature(type(model).forward).parameters


def ends_with_its_head(model: PreTrainedModel | PeftModel) -> bool:
    """Return True if the head's output are the logits, not rescaled, so it can pack rows."""
    config = model.config.get_text_config()
    # Some configs contain the key with the neutral value 1.0.
    return all(getattr(config, key, None) in (None, 1.0) for key in RESCALING_KEYS)
