"""Tokenizers as models have them, in small: how each cuts digits up is what matters."""

from itertools import product

from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

DIGITS = "0123456789"


def qwen2():
    """Byte-level, every digit a token."""
    return _byte_level(r"\p{N}", extra=["Ġ-", "),(", "nan", "inf"])


def llama3():
    """Byte-level, one token for one to three digits, `05` and `007` among them."""
    digits = ["".join(d) for w in (2, 3) for d in product(DIGITS, repeat=w)]
    return _byte_level(r"\p{N}{1,3}", extra=digits)


def gpt2():
    """Byte-level, and no rule for digits: some years are one token."""
    return _byte_level(r"[0-9]+", extra=["19", "20", "2024"], merges=[("1", "9"), ("2", "0")])


def llama2():
    """SentencePiece: `▁` before the first digit, every digit a token, bytes to fall back on."""
    pieces = ["<unk>", *(f"<0x{b:02X}>" for b in range(256)), "▁", *DIGITS, *"-.,:()[]ab"]
    vocab = {piece: i for i, piece in enumerate(pieces)}
    model = models.BPE(vocab=vocab, merges=[], unk_token="<unk>", byte_fallback=True, fuse_unk=True)
    return _with_metaspace(model)


def t5():
    """SentencePiece's unigrams: `▁12` is one token."""
    pieces = ["<unk>", "▁", *DIGITS, "12", "▁12", "▁5", "5th", *"-.,:()a"]
    scores = [0.0, *(-2.0 - (len(p) < 2) for p in pieces[1:])]
    return _with_metaspace(models.Unigram(list(zip(pieces, scores, strict=True)), unk_id=0))


def without_digits():
    """Words alone, numbers within them."""
    vocab = {"<unk>": 0, "room": 1, "R2D2": 2, "2024": 3, "10:08": 4}
    tokenizer = Tokenizer(models.WordLevel(vocab, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="<unk>")


TOKENIZERS = {t.__name__: t for t in (qwen2, llama3, gpt2, llama2, t5)}


def _byte_level(digits, extra, merges=()):
    pieces = sorted(pre_tokenizers.ByteLevel.alphabet()) + list(extra)
    vocab = {piece: i for i, piece in enumerate(pieces)}
    model = models.BPE(vocab=vocab, merges=list(merges), ignore_merges=True)
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(rf"{digits}|[^\p{{N}}]+"), "isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
    ])  # fmt: skip
    tokenizer.decoder = decoders.ByteLevel()
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer)


def _with_metaspace(model):
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first")
    tokenizer.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Metaspace()])
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="<unk>")
