"""A run with an adapter ends with whole weights."""

from importlib.util import find_spec
from pathlib import Path

import pytest

if not all(map(find_spec, ("torch", "transformers", "peft"))):
    pytest.skip("the extra `train` is not installed", allow_module_level=True)

import torch
from peft import get_peft_model
from transformers import AutoModelForCausalLM

from forge.train.adapter import adapter_of, merged
from tests.tiny import tiny_model


def test_weights_with_the_adapter_in_them_are_those_that_peft_merges(tmp_path: Path) -> None:
    base = AutoModelForCausalLM.from_pretrained(tiny_model(tmp_path / "model"))
    before = {name: value.clone() for name, value in base.state_dict().items()}
    model = get_peft_model(base, adapter_of(3))
    torch.manual_seed(0)
    for name, value in model.named_parameters():
        if "lora_B" in name:  # peft begins with zeros, by which nothing would change
            torch.nn.init.normal_(value)

    found = merged(model.state_dict())

    whole = model.merge_and_unload().state_dict()
    assert set(found) == set(whole) == set(before)
    for name, value in whole.items():
        torch.testing.assert_close(found[name], value)
    changed = {name for name in found if not torch.equal(found[name], before[name])}
    assert {name.split(".")[-2] for name in changed} == {
        "q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"
    }  # fmt: skip


def test_the_sum_keeps_the_type_of_the_weights(tmp_path: Path) -> None:
    base = AutoModelForCausalLM.from_pretrained(tiny_model(tmp_path / "model")).bfloat16()
    model = get_peft_model(base, adapter_of(2))

    assert {value.dtype for value in merged(model.state_dict()).values()} == {torch.bfloat16}
