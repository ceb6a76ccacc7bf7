"""Training on many machines: the configurations, and the line that starts it."""

import shlex
from importlib.util import find_spec
from pathlib import Path

import pytest

if not find_spec("accelerate"):
    pytest.skip("the extra `train` is not installed", allow_module_level=True)

from accelerate.commands.config.config_args import ClusterConfig, load_config_from_file
from accelerate.commands.launch import launch_command_parser

from forge.train.launch import launch_line
from tests.places import ROOT

CONFIGS = sorted((ROOT / "train" / "accelerate").glob("*.yaml"))


def parsed(line: str):
    command, launch, *arguments = shlex.split(line)
    assert (command, launch) == ("accelerate", "launch")
    said = {"$RANK": "1", "$HEAD": "10.0.0.1"}  # as a shell puts them in
    return launch_command_parser().parse_args([said.get(each, each) for each in arguments])


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_a_configuration_has_only_what_accelerate_knows(path):
    config = load_config_from_file(str(path))
    assert isinstance(config, ClusterConfig)
    assert path.stem == config.distributed_type.value.lower()
    assert config.mixed_precision is None  # the recipe says it
    known = vars(launch_command_parser().parse_args(["x"]))
    for key in (*config.fsdp_config, *config.deepspeed_config):
        assert key in known


def test_there_is_a_configuration_for_each_way_of_sharding():
    assert [path.stem for path in CONFIGS] == ["deepspeed", "fsdp"]


@pytest.mark.parametrize("config", [None, *CONFIGS], ids=str)
def test_the_line_starts_a_process_for_each_gpu_of_all_machines(config):
    words = ["my recipe.yaml", "--set", "rollouts.group=4", "--resume"]
    told = parsed(launch_line(words, config, machines=2, gpus=8))
    assert (told.num_machines, told.num_processes, told.module) == (2, 16, True)
    assert told.config_file == (None if config is None else str(config))
    assert told.multi_gpu is (config is None)
    assert (told.training_script, told.training_script_args) == ("forge", ["train", *words])


def test_one_machine_is_told_of_no_other():
    line = launch_line(["sft", "r.yaml"], Path("fsdp.yaml"), machines=1, gpus=4)
    assert line == (
        "accelerate launch --config_file fsdp.yaml --num_machines 1 --num_processes 4"
        " -m forge train sft r.yaml"
    )
    assert '--machine_rank "$RANK" --main_process_ip "$HEAD"' in launch_line(["r"], None, 2, 4)


def test_there_is_at_least_one_process():
    with pytest.raises(ValueError, match="0 machines"):
        launch_line(["r.yaml"], None, machines=0, gpus=8)
