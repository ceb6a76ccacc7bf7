"""What TRL's trainers are told alike, whatever they train on."""

from pathlib import Path
from typing import Any

import torch
from transformers import TrainingArguments

from forge.train.recipe import Optimiser

SCHEDULES = {"constant": "constant_with_warmup", "linear": "linear", "cosine": "cosine"}
"""As transformers names those that begin with the warmup."""
CHECKPOINTING = next(
    name
    for name in ("activation_checkpointing", "gradient_checkpointing")
    if hasattr(TrainingArguments, name)
)
"""The versions of transformers that vLLM takes have its old name only."""


def arguments(optimiser: Optimiser, folder: Path, seed: int) -> dict[str, Any]:
    """Of the optimiser, of randomness, and of what is written where: two checkpoints are kept, and
    the numbers of each step are told."""
    return {
        "output_dir": str(folder / "checkpoints"),
        "seed": seed,
        "data_seed": seed,
        "learning_rate": optimiser.rate,
        "lr_scheduler_type": SCHEDULES[optimiser.schedule],
        "warmup_steps": optimiser.warmup,
        "weight_decay": optimiser.decay,
        "max_grad_norm": optimiser.clip,
        "bf16": optimiser.bf16,
        CHECKPOINTING: optimiser.checkpointing,
        "logging_steps": 1,
        "save_total_limit": 2,
        "disable_tqdm": True,
        "use_cpu": not torch.cuda.is_available(),
        "dataloader_pin_memory": torch.cuda.is_available(),
    }
