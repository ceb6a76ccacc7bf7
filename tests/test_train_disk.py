"""A disk that takes no more while weights are written."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from forge.errors import CannotWrite
from forge.train.disk import room_needed

WRITES = {
    "torch": "import torch; torch.save({'w': torch.zeros(500_000)}, 'weights')",
    "safetensors": (
        "import torch; from safetensors.torch import save_file;"
        " save_file({'w': torch.zeros(500_000)}, 'weights')"
    ),
    "python": "open('weights', 'wb').write(bytes(2_000_000))",
}
LIMITED = """
import resource
from pathlib import Path
from forge.errors import CannotWrite
from forge.train.disk import room_needed
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    with room_needed(Path("run")):
        {write}
except CannotWrite as error:
    print(error)
"""


@pytest.mark.parametrize("library", WRITES)
def test_whatever_writes_weights_a_disk_that_takes_no_more_is_one_line(library, tmp_path):
    if library != "python" and not find_spec("torch"):
        pytest.skip("the extra `train` is not installed")
    root = Path(__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-c", LIMITED.format(write=WRITES[library])],
        cwd=tmp_path,
        env={"PYTHONPATH": str(root), "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    said = done.stdout.strip()
    assert said.startswith("run: cannot be written: ")
    assert said.endswith("(make room, then go on with --resume)")


def test_other_errors_stay_what_they_are(tmp_path):
    with pytest.raises(FileNotFoundError), room_needed(tmp_path):
        (tmp_path / "none").read_bytes()
    with pytest.raises(RuntimeError, match="shapes"), room_needed(tmp_path):
        raise RuntimeError("shapes do not fit")


def test_a_full_device_is_named(tmp_path):
    if not Path("/dev/full").is_char_device():
        pytest.skip("this machine has no /dev/full")
    with pytest.raises(CannotWrite, match="No space left"), room_needed(tmp_path):
        Path("/dev/full").write_text("weights")
