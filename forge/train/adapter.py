"""An adapter in place of all weights (LoRA, Hu et al. 2021, by peft): few numbers are trained, and
whole weights are what a run ends with."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from torch import Tensor

from forge.errors import lacks_package
from forge.rollout.tokens.load import TRAIN

SCALE = 2.0
"""What is added of the product of an adapter's two matrices."""
_PREFIX, _BASE = "base_model.model.", ".base_layer."
_DOWN, _UP = ".lora_A.default.weight", ".lora_B.default.weight"
"""As peft names weights: of the model, of a layer with an adapter, and of the adapter."""


def adapter_of(rank: int | None) -> Any:
    """As peft takes it; None without a rank. UserError without peft."""
    if rank is None:
        return None
    try:
        from peft import LoraConfig
    except ImportError as error:
        raise lacks_package("an adapter", error, TRAIN) from None
    return LoraConfig(r=rank, lora_alpha=SCALE * rank, target_modules="all-linear")


def merged(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """A model's weights with the adapter in them, under the names that they had without one:
    W + 2·B·A, W of shape (out, in), B (out, rank), A (rank, in). `weights`: as peft names them."""
    whole = {
        name.removeprefix(_PREFIX).replace(_BASE, "."): value
        for name, value in weights.items()
        if not name.endswith((_DOWN, _UP))
    }
    for name, down in weights.items():
        if name.endswith(_DOWN):
            layer = name.removesuffix(_DOWN)
            up, key = weights[layer + _UP], f"{layer.removeprefix(_PREFIX)}.weight"
            added = SCALE * up.float() @ down.float()
            whole[key] = (whole[key].float() + added).to(whole[key].dtype)
    return whole


def save_merged(trainer: Any, folder: Path) -> None:
    """The trainer's model with its adapter in it, into the folder. In all processes, as each may
    have a part; by our own sum, since peft's leaves a model in DeepSpeed's shards as it was."""
    weights = trainer.accelerator.get_state_dict(trainer.model_wrapped)
    if trainer.is_world_process_zero():
        model = trainer.accelerator.unwrap_model(trainer.model_wrapped).get_base_model()
        model.save_pretrained(folder, state_dict=merged(weights))
        trainer.processing_class.save_pretrained(folder)
    trainer.accelerator.wait_for_everyone()
