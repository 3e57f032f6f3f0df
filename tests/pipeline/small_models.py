"""Every family's architecture in small: random weights, toy tokenizers that cut as the real ones.

Shapes and picture settings stand in small_models.yaml. The chat templates are those of the
well-known checkpoints, as far as we know them, without tools, videos and systems; `pytest -m hub`
compares them with the repositories' own. In chat_templates a backslash goes on in the next line.
"""

from functools import partial
from importlib import import_module
from itertools import product
from pathlib import Path

import torch
import transformers
import yaml
from pipeline_toys import SUMS, UNEVEN
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, processors
from transformers import (
    AddedToken,
    AutoTokenizer,
    GemmaTokenizer,
    LlamaTokenizer,
    PreTrainedTokenizerFast,
)
from transformers.models.smolvlm import processing_smolvlm

from gnomon.pipeline import families
from gnomon.pipeline.families import _processors, releases

HERE = Path(__file__).parent
DIGITS = "0123456789"
MODELS = yaml.safe_load((HERE / "small_models.yaml").read_text(encoding="utf-8"))
FAMILIES = [name for name in families.FAMILIES if name not in ("auto", *families.EMBEDDED)]
"""Every family that has checkpoints of its own; gnomon-tiny has Qwen2-VL's architecture."""
LINEAR = {name: MODELS[name]["linear"] for name in FAMILIES}
"""Linear layers of each part."""
SEEING = [name for name in FAMILIES if families.load(name).vision is not None]
TRUE_PICTURES = yaml.safe_load((HERE / "true_pictures.yaml").read_text(encoding="utf-8"))
"""Picture settings of the well-known checkpoints, by family."""


def build(name, folder):
    """Write a small checkpoint of that family or architecture; where it is."""
    torch.manual_seed(0)
    tokenizer = tokenizer_of(name)
    processor = processor_of(name, tokenizer, MODELS[name].get("pictures"))
    sees = "processor" in MODELS[name]
    kind = "AutoModelForImageTextToText" if sees else "AutoModelForCausalLM"
    model = getattr(transformers, kind).from_config(config_of(name, tokenizer))
    open_gates(model)
    if name in FAMILIES:
        model.generation_config.eos_token_id = tokenizer.eos_token_id
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
    return folder


def uneven(name):
    """A training on six samples whose answers differ in tokens, digits and numbers."""
    texts = [sample for sample in [*UNEVEN, SUMS[0], SUMS[1]] if sample.image is None]
    samples = UNEVEN if name in SEEING else texts
    return {"samples": samples[:6], "numeric_loss": "ntil", "weight": 0.7}


def chat_template(name):
    name = {"qwen2.5-vl": "qwen2-vl"}.get(name, name)
    text = (HERE / "chat_templates" / f"{name}.jinja").read_text(encoding="utf-8")
    return text.replace("\\\n", "")


def processor_of(name, tokenizer, settings):
    """A processor as the files of that family's checkpoints make it."""
    template, model = chat_template(name), MODELS[name]
    tokenizer.chat_template = template
    if "processor" not in model:
        return tokenizer
    module, _, kind = model["image_processor"].partition(".")
    module = import_module(f"transformers.models.{module}.image_processing_pil_{module}")
    pictures, more = getattr(module, kind)(**settings), model.get("more", {})
    if name == "gemma3":
        more = {"image_seq_length": (settings["size"]["height"] // 28) ** 2}
    if name == "smolvlm":
        processing_smolvlm.num2words = processing_smolvlm.num2words or str
    kind = releases.processor_class(model["processor"])
    return _processors.assemble(kind, pictures, tokenizer, chat_template=template, **more)


def config_of(name, tokenizer):
    """The configuration of a small model whose vocabulary is the tokenizer's."""
    model = MODELS[name]
    special = {key: getattr(tokenizer, key) for key in
               ("bos_token_id", "eos_token_id", "pad_token_id")}  # fmt: skip
    special["vocab_size"] = len(tokenizer) - model.get("beyond_the_head", 0)
    config = _with_ids(model["config"], tokenizer)
    if "text_config" in config:
        config["text_config"] |= special
    else:
        config |= special
    return getattr(transformers, model["kind"])(**config)


def _with_ids(config, tokenizer):
    """The same with tokens as ids."""
    found = {}
    for key, value in config.items():
        if isinstance(value, dict):
            found[key] = _with_ids(value, tokenizer)
        elif value == "TOKENS":
            found[key] = len(tokenizer)
        elif key.endswith(("_id", "_ids", "_index")) and not isinstance(value, int):
            found[key] = tokenizer.convert_tokens_to_ids(value)
        else:
            found[key] = value
    return found


def open_gates(model):
    """Weights that begin at 0, or at 1: no picture would be seen."""
    for name, parameter in model.named_parameters():
        if name.endswith("gate"):
            parameter.data.fill_(1.0)
        if name.endswith(("mm_input_projection_weight", "probe", "image_newline", "latents")):
            torch.nn.init.normal_(parameter, std=0.3)


def tokenizer_of(name):
    """Of a family, or the embedded model's with an architecture's special tokens."""
    if name in TOKENIZERS:
        return TOKENIZERS[name]()
    model, tokenizer = MODELS[name], qwen2()
    tokenizer.add_special_tokens({"extra_special_tokens": model["tokens"]})
    tokenizer.eos_token = model.get("eos_token", tokenizer.eos_token)
    if "bos_token" in model:
        tokenizer.bos_token = model["bos_token"]
    return tokenizer


def qwen2():
    """Byte-level, every digit a token; the embedded model's own, which has Qwen2's specials."""
    return AutoTokenizer.from_pretrained(families.TINY)


def llama3(*, pictures):
    """Byte-level, one token for one to three digits; `<|image|>` comes after the vocabulary."""
    pieces = [*sorted(pre_tokenizers.ByteLevel.alphabet()), "ĊĊ"]
    pieces += ["".join(d) for w in (2, 3) for d in product(DIGITS, repeat=w)]
    vocab = {piece: i for i, piece in enumerate(pieces)}
    tokenizer = Tokenizer(models.BPE(vocab=vocab, merges=[("Ċ", "Ċ")], ignore_merges=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(r"\p{N}{1,3}|\s*[\r\n]+|[^\p{N}\r\n]+"), "isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
    ])  # fmt: skip
    tokenizer.decoder = decoders.ByteLevel()
    specials = ["<|begin_of_text|>", "<|end_of_text|>", "<|finetune_right_pad_id|>",
                "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>",
                "<|python_tag|>"]  # fmt: skip
    tokenizer.add_special_tokens(specials + ["<|image|>"] * pictures)
    start = "<|begin_of_text|>"
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{start} $A", special_tokens=[(start, tokenizer.token_to_id(start))]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token=start,
        eos_token="<|eot_id|>",
        pad_token="<|finetune_right_pad_id|>" if pictures else None,
    )


def llama2():
    """SentencePiece: `▁` for a blank and before the first word, every digit a token, bytes."""
    pieces = ["<unk>", "<s>", "</s>", *(f"<0x{b:02X}>" for b in range(256)), "▁", *DIGITS]
    pieces += [*"abcdefghijklmnopqrstuvwxyz", *"ABCDEFGHIJKLMNOPQRSTUVWXYZ", *":.,-?!()[]"]
    vocab = {piece: i for i, piece in enumerate(pieces)}
    tokenizer = LlamaTokenizer(vocab=vocab, merges=[], pad_token="<pad>", add_bos_token=True)
    tokenizer.add_special_tokens({"extra_special_tokens": ["<image>"]})
    return tokenizer


def gemma(named, *special):
    """SentencePiece without a blank before the first word; line feeds are tokens, two are one."""
    pieces = ["<pad>", "<eos>", "<bos>", "<unk>", "<mask>", *special, *named.values()]
    pieces += ["\n", "\n\n", "▁", *(f"<0x{b:02X}>" for b in range(256)), *DIGITS]
    pieces += [*":.,-?!()[]", *"abcdefghijklmnopqrstuvwxyz", *"ABCDEFGHIJKLMNOPQRSTUVWXYZ"]
    tokenizer = GemmaTokenizer(
        vocab={piece: i for i, piece in enumerate(pieces)},
        merges=[("\n", "\n")],
        extra_special_tokens=named,
    )
    tokenizer.add_special_tokens({"additional_special_tokens": list(special)})
    return tokenizer


GEMMA3_TOKENS = {
    "sot_token": "<start_of_turn>",
    "eot_token": "<end_of_turn>",
    "boi_token": "<start_of_image>",
    "eoi_token": "<end_of_image>",
    "image_token": "<image_soft_token>",
}
GEMMA4_TOKENS = {
    "sot_token": "<|turn>",
    "eot_token": "<turn|>",
    "soc_token": "<|channel>",
    "eoc_token": "<channel|>",
    "think_token": "<|think|>",
    "boi_token": "<|image>",
    "eoi_token": "<image|>",
    "image_token": "<|image|>",
    "boa_token": "<|audio>",
    "eoa_token": "<audio|>",
    "audio_token": "<|audio|>",
}


def ended(tokenizer, start, extra):
    """A language model's tokenizer with Idefics3's special tokens: answers end in its own."""
    tokenizer.add_tokens([AddedToken(t, special=True) for t in [*IDEFICS3, *extra]])
    tokenizer.bos_token, tokenizer.eos_token = start, "<end_of_utterance>"
    tokenizer.pad_token = tokenizer.pad_token or "<|finetune_right_pad_id|>"
    return tokenizer


IDEFICS3 = ("<fake_token_around_image>", "<image>", "<end_of_utterance>")
PLACES = ("<global-img>", *(f"<row_{r}_col_{c}>" for r in range(1, 7) for c in range(1, 7)))
"""One token each to SmolVLM2, plain text to Idefics3."""


def smollm2():
    """Byte-level, every digit a token, as Qwen2's; with the special tokens of SmolVLM2."""
    return ended(qwen2(), "<|im_start|>", PLACES)


def internvl():
    """Qwen2's with InternVL's special tokens, those of boxes among them."""
    named = {"start_image_token": "<img>", "end_image_token": "</img>",
             "context_image_token": "<IMG_CONTEXT>", "video_token": "<video>"}  # fmt: skip
    tokenizer = AutoTokenizer.from_pretrained(families.TINY, extra_special_tokens=named)
    tokenizer.add_tokens([AddedToken(token, special=True) for token in INTERNVL])
    return tokenizer


def minicpm():
    """Qwen3.5's with names for the tokens around a picture, its slices and its number."""
    named = {"image_token": "<|image_pad|>", "video_token": "<|video_pad|>"}
    for part in ("image", "slice", "image_id"):
        named |= {f"{part}_start_token": f"<{part}>", f"{part}_end_token": f"</{part}>"}
    return AutoTokenizer.from_pretrained(families.TINY, extra_special_tokens=named)


INTERNVL = ("<img>", "</img>", "<IMG_CONTEXT>", "<quad>", "</quad>", "<ref>", "</ref>", "<box>",
            "</box>", "<video>")  # fmt: skip


TOKENIZERS = {
    "idefics2": llama2,
    "gemma3": partial(gemma, GEMMA3_TOKENS),
    "gemma4": partial(gemma, GEMMA4_TOKENS, "<|video|>"),
    "qwen2-vl": qwen2,
    "qwen2.5-vl": qwen2,
    "qwen3-vl": qwen2,
    "qwen3.5": qwen2,
    "llava": llama2,
    "mllama": partial(llama3, pictures=True),
    "idefics3": lambda: ended(llama3(pictures=False), "<|begin_of_text|>", ()),
    "smolvlm": smollm2,
    "internvl": internvl,
    "minicpmv4_6": minicpm,
    "qwen2": qwen2,
    "llama": partial(llama3, pictures=False),
}
