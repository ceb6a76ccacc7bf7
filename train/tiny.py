"""A small model of random weights, with a tokenizer made for one data set, to learn from nothing.

    pip install 'forge-envs[train]'
    python train/tiny.py DATASET --out models/tiny [--width 256] [--layers 4] [--words 1500]

The tokenizer is learned from what the oracle reads and writes on the tasks to train on. Each digit
is a token of its own, and so is the space before a name or a number: what is copied from a question
into a call is the same tokens in both. Its chat template leaves out the
system's message with the list of tools: such a model reads every token of it at its own expense,
and learns the tools from what it is shown.
"""

import argparse
import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import torch
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM

from forge.dataset.folder import read_dataset
from forge.rollout.policies.formats import write
from forge.rollout.policies.oracle import Oracle
from forge.train.play import played, playground
from forge.train.recipe import Tasks
from forge.types.rollout import Trajectory

BEGIN, END = "<|begin|>", "<|end|>"
TEMPLATE = (
    "{% for message in messages %}{% if message.role != 'system' %}"
    "{{ '" + BEGIN + "' + message.role + '\n' + message.content + '" + END + "\n' }}"
    "{% endif %}{% endfor %}{% if add_generation_prompt %}{{ '"
    + BEGIN
    + "assistant\n' }}{% endif %}"
)
READ = 600
"""Rollouts that the tokenizer is learned from."""


def texts(trajectories: list[Trajectory]) -> Iterator[str]:
    for trajectory in trajectories:
        yield trajectory.question
        for step in trajectory.steps:
            yield write(step.turn, "hermes").content or ""
            yield from (
                f"<tool_response>\n{result.text}\n</tool_response>" for result in step.results
            )
            yield step.user or ""


def tokenizer_of(corpus: Iterator[str], words: int) -> PreTrainedTokenizerFast:
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.Split(Regex(" (?=[A-Z])| $"), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True),
        ]
    )
    made.decoder = decoders.ByteLevel()
    made.train_from_iterator(
        [*corpus, "system user assistant tool"] * 2,
        trainers.BpeTrainer(
            vocab_size=words,
            initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
            special_tokens=[],
            show_progress=False,
        ),
    )
    made.add_tokens([AddedToken(text, special=True) for text in (BEGIN, END)])
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=made, eos_token=END, pad_token=END, clean_up_tokenization_spaces=False
    )
    tokenizer.chat_template = TEMPLATE
    return tokenizer


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--words", type=int, default=1500)
    parser.add_argument("--context", type=int, default=4096)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    place = playground(read_dataset(given.data), Tasks(), 0)
    jobs = [(task, 0) for task in list(place.train.values())[:READ]]
    shown = asyncio.run(played(place, jobs, Oracle(), given.seed, turns=40, concurrent=64))
    tokenizer = tokenizer_of(texts(shown), given.words)
    torch.manual_seed(given.seed)
    model = Qwen2ForCausalLM(
        Qwen2Config(
            vocab_size=len(tokenizer),
            hidden_size=given.width,
            intermediate_size=3 * given.width,
            num_hidden_layers=given.layers,
            num_attention_heads=given.heads,
            num_key_value_heads=given.heads,
            max_position_embeddings=given.context,
            tie_word_embeddings=True,
            eos_token_id=tokenizer.eos_token_id,
            pad_token_id=tokenizer.pad_token_id,
        )
    )
    model.save_pretrained(given.out)
    tokenizer.save_pretrained(given.out)
    print(json.dumps({"parameters": model.num_parameters(), "words": len(tokenizer)}))


if __name__ == "__main__":
    main()
