"""A whole language model in a few kilobytes, in the form that llama.cpp reads.

Its weights are drawn, so that what it writes means nothing. A token is a byte, or one of the two
marks of a turn."""

import random
import struct
from collections.abc import Mapping, Sequence

TURN, END = "<|im_start|>", "<|im_end|>"
TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
UINT, INT, FLOAT, BOOL, STRING, ARRAY = 4, 5, 6, 7, 8, 9
F32 = 0
ALIGNMENT = 32


def tiny(*, architecture: str = "llama", layers: int = 1, head: int = 16) -> bytes:
    """`head`: numbers that each token leaves behind in each layer, twice."""
    width, feed, words = 16, 16, [*_bytes(), TURN, END]
    facts = {
        "general.architecture": architecture,
        f"{architecture}.context_length": 65_536,
        f"{architecture}.embedding_length": width,
        f"{architecture}.block_count": layers,
        f"{architecture}.feed_forward_length": feed,
        f"{architecture}.attention.head_count": 1,
        f"{architecture}.attention.key_length": head,
        f"{architecture}.attention.value_length": head,
        f"{architecture}.rope.dimension_count": head,
        f"{architecture}.attention.layer_norm_rms_epsilon": 1e-5,
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "gpt-2",
        "tokenizer.ggml.tokens": words,
        "tokenizer.ggml.token_type": [1] * 256 + [3, 3],
        "tokenizer.ggml.merges": ["a b"],
        "tokenizer.ggml.bos_token_id": 256,
        "tokenizer.ggml.eos_token_id": 257,
        "tokenizer.ggml.add_bos_token": False,
        "tokenizer.chat_template": TEMPLATE,
    }
    shapes: dict[str, tuple[int, ...]] = {
        "token_embd.weight": (width, len(words)),
        "output_norm.weight": (width,),
        "output.weight": (width, len(words)),
    }
    for layer in range(layers):
        named = {
            "attn_norm": (width,),
            "attn_q": (width, head),
            "attn_k": (width, head),
            "attn_v": (width, head),
            "attn_output": (head, width),
            "ffn_norm": (width,),
            "ffn_gate": (width, feed),
            "ffn_up": (width, feed),
            "ffn_down": (feed, width),
        }
        shapes |= {f"blk.{layer}.{name}.weight": shape for name, shape in named.items()}
    return _file(facts, shapes)


def _bytes() -> list[str]:
    """How byte-level vocabularies write each byte: as itself where that can be seen."""
    seen = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in seen]
    named = {byte: chr(byte) for byte in seen}
    named |= {byte: chr(256 + number) for number, byte in enumerate(others)}
    return [named[byte] for byte in range(256)]


def _file(facts: Mapping[str, object], shapes: Mapping[str, tuple[int, ...]]) -> bytes:
    described, data, rng = b"", bytearray(), random.Random(0)
    drawn = struct.pack("<256f", *(rng.gauss(0, 0.3) for _ in range(256)))
    ones = struct.pack("<f", 1)
    for name, shape in shapes.items():
        size = shape[0] * (shape[1] if len(shape) > 1 else 1)
        described += _text(name) + struct.pack(f"<I{len(shape)}Q", len(shape), *shape)
        described += struct.pack("<IQ", F32, len(data))
        data += ones * size if len(shape) == 1 else (drawn * (size // 256 + 1))[: 4 * size]
        data += bytes(-len(data) % ALIGNMENT)
    start = b"GGUF" + struct.pack("<IQQ", 3, len(shapes), len(facts))
    start += b"".join(_text(name) + _value(value) for name, value in facts.items()) + described
    return start + bytes(-len(start) % ALIGNMENT) + data


def _text(text: str) -> bytes:
    return struct.pack("<Q", len(text.encode())) + text.encode()


def _value(value: object) -> bytes:
    match value:
        case bool():
            return struct.pack("<I?", BOOL, value)
        case int():
            return struct.pack("<II", UINT, value)
        case float():
            return struct.pack("<If", FLOAT, value)
        case str():
            return struct.pack("<I", STRING) + _text(value)
        case Sequence():
            kind = STRING if isinstance(value[0], str) else INT
            items = [_text(v) if kind == STRING else struct.pack("<i", v) for v in value]
            return struct.pack("<IIQ", ARRAY, kind, len(items)) + b"".join(items)
    raise TypeError(f"{value!r} has no form in such a file")
