"""The line that runs a training on many GPUs: `accelerate launch`, which starts the processes."""

import shlex
from collections.abc import Sequence
from pathlib import Path

PORT = 29500


def launch_line(words: Sequence[str], config: Path | None, machines: int, gpus: int) -> str:
    """`words`: what stands behind `forge train`; `config`: one of accelerate's, None: a whole model
    on each GPU; `gpus`: of each machine. On several machines the same line is run on each, where
    $RANK is its number from 0 and $HEAD the address of the machine with number 0. ValueError for
    less than one."""
    if machines < 1 or gpus < 1:
        raise ValueError(f"{machines} machines with {gpus} GPUs")
    processes = machines * gpus
    how = ["--config_file", str(config)] if config is not None else []
    if config is None and processes > 1:
        how = ["--multi_gpu", "--mixed_precision", "no", "--dynamo_backend", "no"]
    how += ["--num_machines", str(machines), "--num_processes", str(processes)]
    line = shlex.join(["accelerate", "launch", *how])
    if machines > 1:
        line += f' --machine_rank "$RANK" --main_process_ip "$HEAD" --main_process_port {PORT}'
    return f"{line} {shlex.join(['-m', 'forge', 'train', *words])}"
