"""Tokenizers and chat templates of real models, out of packages that ship them.

quicktok has the vocabularies of Qwen2.5, Qwen3 and Llama 3; trl has chat templates. SmolLM2's is so
short that it is given here; its vocabulary is in a GGUF file of 92 MB, which only tests marked slow
read.
"""

import struct
from copy import copy
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

    from forge.rollout.tokens.template import Template

NEEDED = ("quicktok", "transformers", "trl")
needs_tokenizers = pytest.mark.skipif(
    not all(map(find_spec, NEEDED)), reason="the extra `train` is not installed"
)

SMOLLM2 = """\
{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}\
{{ '<|im_start|>system\\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face\
<|im_end|>\\n' }}{% endif %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + \
'<|im_end|>' + '\\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}\
{% endif %}"""
"""As its model card has it (Apache-2.0)."""

QWEN = r"""(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"""  # noqa: E501
LLAMA = QWEN.replace(r"\p{N}|", r"\p{N}{1,3}|")
BEGINS = {"qwen3": "<|endoftext|>", "llama3": "<|begin_of_text|>"}
ENDS = {"qwen3": "<|im_end|>", "llama3": "<|eot_id|>"}

MODELS = {
    "qwen2.5": ("qwen3", "qwen2_5"),
    "qwen3": ("qwen3", "qwen3"),
    "llama3": ("llama3", "llama3"),
    "llama3.1": ("llama3", "llama3_1"),
    "smollm2": ("qwen3", ""),
}
"""Of each model, the vocabulary and the file of the template."""


def template(model: str) -> "Template":
    from forge.rollout.tokens.template import Template

    return Template(tokenizer(model), model)


def tokenizer(model: str) -> "PreTrainedTokenizerFast":
    vocabulary, file = MODELS[model]
    made = copy(_without_template(vocabulary))
    made.chat_template = chat_template(file) if file else SMOLLM2
    return made


@cache
def _without_template(vocabulary: str) -> "PreTrainedTokenizerFast":
    from transformers import PreTrainedTokenizerFast

    return PreTrainedTokenizerFast(
        tokenizer_object=_byte_pairs(vocabulary),
        bos_token=BEGINS[vocabulary],
        eos_token=ENDS[vocabulary],
        clean_up_tokenization_spaces=False,
    )


def chat_template(name: str) -> str:
    return (_folder("trl") / "chat_templates" / f"{name}.jinja").read_text()


def _folder(package: str) -> Path:
    """Of a package that is not imported for it."""
    spec = find_spec(package)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent


def _byte_pairs(vocabulary: str) -> object:
    from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers

    data = _folder("quicktok") / "data"
    ranks = _read(data / f"{vocabulary}.vocab")
    letters = _letters()
    ids = {"".join(letters[byte] for byte in token): rank for token, rank in ranks.items()}
    merges = [  # in the order of what is merged
        (text[:at], text[at:])
        for text in ids
        for at in range(1, len(text))
        if text[:at] in ids and text[at:] in ids
    ]
    made = Tokenizer(models.BPE(ids, merges, ignore_merges=vocabulary == "llama3"))
    split = pre_tokenizers.Split(Regex(LLAMA if vocabulary == "llama3" else QWEN), "isolated")
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [split, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    made.decoder = decoders.ByteLevel()
    for token in _read(data / f"{vocabulary}.special"):
        text = token.decode()
        made.add_tokens([AddedToken(text, special=text.startswith("<|"), normalized=False)])
    return made


def _read(path: Path) -> dict[bytes, int]:
    """Tokens with their ids, by these. Each is its length and its bytes, before its id in a
    vocabulary and behind it among the special ones."""
    data, at = path.read_bytes(), 4
    found = {}
    while at < len(data):
        if path.suffix == ".special":
            id, length = struct.unpack_from("<IH", data, at)
            token = data[at + 6 : at + 6 + length]
        else:
            (length,) = struct.unpack_from("<H", data, at)
            token = data[at + 2 : at + 2 + length]
            (id,) = struct.unpack_from("<I", data, at + 2 + length)
        found[token] = id
        at += 6 + length
    return dict(sorted(found.items(), key=lambda item: item[1]))


def _letters() -> dict[int, str]:
    """How byte-level tokenizers spell a byte, as GPT-2 did."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    rest = [byte for byte in range(256) if byte not in plain]
    return {byte: chr(byte) for byte in plain} | {b: chr(256 + n) for n, b in enumerate(rest)}
