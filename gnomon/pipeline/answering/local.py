"""Answers of a loaded model, appended to a file batch by batch. A killed run resumes."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from math import exp, log
from typing import Any

from gnomon.answers.reading.steps import working_of
from gnomon.answers.unreadable.answer import WORD
from gnomon.pipeline.answering.belief import answer_logprobs, average_beliefs, other_views
from gnomon.pipeline.answering.coordinates import BoxText, choose_edges, without_marks
from gnomon.pipeline.answering.long_numbers import range_logprobs
from gnomon.pipeline.answering.rule import GREEDY, AnswerRule, Choice
from gnomon.pipeline.collate import prompt_of, resized_size, resized_sizes
from gnomon.pipeline.families.base import encode
from gnomon.pipeline.load import Loaded, inference
from gnomon.sample import OPTIONS, Prediction, Sample

_LEAST = 1e-300
"""Probability that stands for 0, with a finite logarithm."""
PLAIN_DECODING: dict[str, Any] = {
    "do_sample": False,
    "num_beams": 1,
    # Greedy search warns about these three if a checkpoint sets them.
    "temperature": None,
    "top_p": None,
    "top_k": None,
    # Qwen2.5-VL has 1.05, which makes digits less likely if the question or the answer already
    # contains them.
    "repetition_penalty": 1.0,
    "no_repeat_ngram_size": 0,
}
"""Greedy decoding, whatever a checkpoint's generation config asks for."""
WINDOW = 8
"""Number of batches that are sorted by length together: enough for little padding, with few
pictures in memory."""


def predict_batches(
    loaded: Loaded,
    samples: Iterable[Sample],
    *,
    settings: dict[str, Any] | None = None,
    batch_size: int,
    max_new_tokens: int,
    rule: AnswerRule = GREEDY,
) -> Iterator[list[Prediction]]:
    """Yield predictions batch by batch, the longest prompts of a window first.

    If the answer to a question is chosen from a list, nothing is generated but its steps, if the
    model writes steps.
    """
    rest = iter(samples)
    while window := list(islice(rest, WINDOW * batch_size)):
        # The longest come first, so a lack of memory shows at the first batch.
        window.sort(key=lambda sample: -_approximate_length(loaded, sample))
        for start in range(0, len(window), batch_size):
            group = window[start : start + batch_size]
            texts = _texts_with_steps(loaded, group, max_new_tokens, rule)
            answers = [_choose(loaded, sample, rule, texts.get(sample.id)) for sample in group]
            open_samples = [s for s, answer in zip(group, answers, strict=True) if not answer.text]
            choices = iter(_generate(loaded, open_samples, max_new_tokens, rule))
            batch = []
            for sample, answer in zip(group, answers, strict=True):
                output = answer if answer.text else next(choices)
                prediction = Prediction.of(
                    sample,
                    output.text,
                    resized_size(loaded.family, loaded.processor, sample),
                    loaded.family.dialect,
                    settings or {},
                    answer.logprobs if rule.stores_beliefs else None,
                    answer.certainty,
                    output.edges,
                )
                batch.append(prediction)
            yield batch


def _generate(
    loaded: Loaded, samples: Sequence[Sample], max_new_tokens: int, rule: AnswerRule
) -> list[Choice]:
    """Generate answers, and choose the numbers of their boxes by the rule."""
    if not rule.reads_edges or not any(sample.target.answer_form.has_place for sample in samples):
        texts = generate_texts(loaded, samples, max_new_tokens=max_new_tokens)
        return [Choice(text) for text in texts]
    texts = generate_texts(loaded, samples, max_new_tokens=max_new_tokens, keep_marks=True)
    choices = []
    for sample, text in zip(samples, texts, strict=True):
        size = resized_size(loaded.family, loaded.processor, sample)
        answer = BoxText.of(loaded, sample, text, size)
        edges = None
        if answer is not None and size is not None:
            text, edges = choose_edges(loaded, sample, answer, size, rule)
        choices.append(Choice(without_marks(loaded, text), edges=edges))
    return choices


def _texts_with_steps(
    loaded: Loaded, samples: Sequence[Sample], max_new_tokens: int, rule: AnswerRule
) -> dict[str, str]:
    """Generate answers that may have steps before a value with a belief, by the samples' ids."""
    with_steps = [
        sample
        for sample in samples
        if (rule.steps or sample.rationale)
        and (rule.number_range(sample) is not None or rule.answers(sample, loaded.family.dialect))
    ]
    if not with_steps:
        return {}
    texts = generate_texts(loaded, with_steps, max_new_tokens=max_new_tokens)
    return {sample.id: text for sample, text in zip(with_steps, texts, strict=True)}


def _choose(loaded: Loaded, sample: Sample, rule: AnswerRule, text: str | None) -> Choice:
    """Compute the belief about a question if its answers can be listed, and choose the answer by
    it.

    If the generated `text` has steps, the belief is about the value after them.
    """
    working = working_of(text or "")
    if text and working == text:  # it stopped before its value
        return Choice(text)
    belief = _belief(loaded, sample, rule, working)
    if not belief:
        return Choice(text or "")
    if rule.views > 1:
        others = [_belief(loaded, view, rule, working) for view in other_views(sample)]
        belief = average_beliefs([belief, *others])
    if OPTIONS in sample.facts:
        choice = Choice(max(belief, key=lambda letter: belief[letter]), belief)
    else:
        choice = rule.choose(belief, sample, loaded.family.dialect)
    return replace(choice, text=working + choice.text if choice.text else text or "")


def _belief(loaded: Loaded, sample: Sample, rule: AnswerRule, working: str) -> dict[str, float]:
    """Return the log-probabilities of the answers to a question. Empty if they cannot be listed."""
    options: dict[str, str] | None = sample.facts.get(OPTIONS)
    if options:
        logprobs = answer_logprobs(loaded, sample, [*dict.fromkeys(options.values())], working)
        return {letter: logprobs[answer] for letter, answer in options.items()}
    numbers = rule.number_range(sample)
    if numbers is not None:
        logprobs = range_logprobs(loaded, sample, numbers, working)
        if logprobs and rule.refusals:
            refusal = answer_logprobs(loaded, sample, [WORD], working)[WORD]
            logprobs |= _refusal_beside(logprobs, refusal)
        return logprobs
    answers = rule.answers(sample, loaded.family.dialect)
    return answer_logprobs(loaded, sample, answers, working) if answers else {}


def _refusal_beside(logprobs: dict[str, float], refusal: float) -> dict[str, float]:
    """Scale the log-probability of a refusal so that it keeps its share although the search left
    out some readings."""
    readings = sum(map(exp, logprobs.values()))
    share = min(exp(refusal), 1 - 1e-9)
    return {WORD: min(refusal, log(readings * share / (1 - share) or _LEAST))}


def generate_texts(
    loaded: Loaded, samples: Sequence[Sample], *, max_new_tokens: int, keep_marks: bool = False
) -> list[str]:
    """Generate the answers to a batch of samples without sampling. Prompts are padded left.

    With `keep_marks`, the texts keep special tokens such as those around a box.
    """
    if not samples:
        return []
    model, family, tokenizer = loaded.model, loaded.family, loaded.tokenizer
    prompts = [prompt_of(family, loaded.processor, sample) for sample in samples]
    pictures = [sample.images for sample in samples]
    inputs = encode(loaded.processor, prompts, pictures, side="left")
    inputs = {name: tensor.to(model.device) for name, tensor in inputs.items()}
    # On a CPU a frozen head copies its weights for each row unless its input is contiguous.
    contiguous = model.get_output_embeddings().register_forward_pre_hook(
        lambda _, arguments: (arguments[0].contiguous(), *arguments[1:])
    )
    with inference(model), contiguous:
        tokens = model.generate(
            **inputs,
            max_new_tokens=max_new_tokens,
            **PLAIN_DECODING,
            eos_token_id=tokenizer.convert_tokens_to_ids(family.end_token(loaded.processor)),
            pad_token_id=tokenizer.pad_token_id,
        )
    # Prompts are padded on the left, so all answers begin in the same column.
    new = tokens[:, inputs["input_ids"].shape[1] :]
    texts: list[str] = tokenizer.batch_decode(new, skip_special_tokens=not keep_marks)
    # Padding follows the end token.
    end = family.end_token(loaded.processor)
    return [(text.partition(end)[0] if keep_marks else text).strip() for text in texts]


def _approximate_length(loaded: Loaded, sample: Sample) -> int:
    """Estimate the length of a prompt for sorting: its letters, and one for each 100 pixels."""
    sizes = resized_sizes(loaded.family, loaded.processor, sample)
    return len(sample.question) + sum(width * height for width, height in sizes) // 100
