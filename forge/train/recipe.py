"""A training run as a file that a user edits: what is trained on what, and how.

Always holds: every key is known, so a slip is an error and no silent default; the recipe as
resolved, with what `--set` changed, says all that decides a run beside the data set and the
weights.
"""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from forge.dataset.marks import Without
from forge.errors import UserError
from forge.rollout.policies.formats import Format
from forge.train.advantage import Algorithm
from forge.types.task import Band, Kind


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Tasks(_Part):
    """Which tasks of the data set: of some environments, of a kind, of some bands of difficulty (of
    any where it is not said); only those of its split `train` are trained on. `held_out`: of its
    split `test`, by which ones the policy is measured: those of environments that are never trained
    on (`env`), those of the others (`task`), or both. `rates`: a file of measured pass
    rates (`forge stats --rates`), of which those within `between` are trained on. `without`: tasks
    that people marked bad (`forge browse`) are neither trained on nor measured by.
    `allow_overlaps`: whether environments may have the tools of known benchmarks."""

    envs: tuple[str, ...] = ()
    kind: Kind | None = None
    difficulty: tuple[Band, ...] = ()
    held_out: Literal["both", "env", "task"] = "both"
    rates: Path | None = None
    between: tuple[float, float] = (0.0, 1.0)
    without: Without | None = None
    allow_overlaps: bool = False


class Rollouts(_Part):
    """`questions` a step, `group` rollouts of each. `turns`: how many a rollout may take, from the
    first `per_round` steps on to the last; `turn_tokens`: of one turn; `tokens`: of a rollout, what
    is beyond it is cut; `mask_cut`: whether a rollout that was cut is left out of the loss."""

    questions: int = Field(default=8, ge=1)
    group: int = Field(default=8, ge=2)
    format: Format = "hermes"
    user: Literal["scripted"] = "scripted"
    temperature: float = Field(default=1.0, gt=0)
    turns: tuple[int, ...] = (8, 12, 15)
    per_round: int = Field(default=80, ge=1)
    turn_tokens: int = Field(default=512, ge=1)
    tokens: int = Field(default=4096, ge=1)
    mask_cut: bool = True
    concurrent: int = Field(default=64, ge=1)


class Sampling(_Part):
    """What writes rollouts: the model in training (`transformers`), vLLM on the same GPU
    (`beside`), which may take that share of its `memory`, or a `server` of vLLM's at `url`, under
    `name` (the model's own if None), that weights are sent to from the trainer's `port`; see
    `train/vllm-serve.sh`."""

    by: Literal["transformers", "beside", "server"] = "transformers"
    memory: float = Field(default=0.3, gt=0, lt=1)
    url: str = "http://127.0.0.1:8000"
    name: str | None = None
    port: int = 51216


class Loss(_Part):
    """`ddof`, `drop`: of the deviation, see `forge/train/advantage.py`; `low`, `high`, `dual`:
    where ratios are clipped; `kl`: the weight of the divergence from the model that training began
    with; `level`: what a ratio is of; `mean`: how tokens become one number; `correction`: how much
    likelier a row may be by the trainer than by what sampled it, beyond which it is left out
    (`mask`) or weighs no more (`truncate`)."""

    ddof: Literal[0, 1] = 0
    epsilon: float = 0.0
    drop: Literal["after", "before", "never"] = "after"
    low: float = 0.2
    high: float = 0.28
    dual: float | None = None
    kl: float = 0.0
    level: Literal["token", "sequence"] = "token"
    mean: Literal["sequence", "token", "fixed"] = "token"
    correction: Literal["none", "mask", "truncate"] = "none"
    cap: float = 3.0


class Optimiser(_Part):
    """`schedule`: what becomes of the rate behind the warmup: it stays, or falls to nothing by the
    last step. `rows`: that are looked at at once; it changes memory, and no number. `updates`: of
    each batch of rollouts. `lora`: the rank of an adapter (extra `train` has peft); None: all
    weights."""

    rate: float = 1e-6
    warmup: int = 0
    schedule: Literal["constant", "linear", "cosine"] = "constant"
    decay: float = 0.0
    clip: float = 1.0
    rows: int = Field(default=4, ge=1)
    updates: int = Field(default=1, ge=1)
    bf16: bool = False
    checkpointing: bool = False
    lora: int | None = None


class Evaluation(_Part):
    """Every so many steps, on so many held-out tasks, one rollout each; 0: never."""

    every: int = Field(default=20, ge=0)
    tasks: int = Field(default=50, ge=1)
    temperature: float = 0.0


class Recipe(_Part):
    """`model`: a Hugging Face folder or a GGUF file; `data`: a data set; relative paths are so to
    where forge is run. `select`: the share of questions kept, those whose rewards spread most; 1:
    all. `keep_every`: steps between checkpoints, `samples`: between trajectories that are kept."""

    algorithm: Algorithm = "erpo"
    model: Path
    data: Path
    steps: int = Field(ge=1)
    seed: int = 0
    select: float = Field(default=1.0, gt=0, le=1)
    keep_every: int = Field(default=20, ge=1)
    samples: int = Field(default=20, ge=1)
    report_to: tuple[Literal["tensorboard", "wandb", "trackio"], ...] = ()
    tasks: Tasks = Tasks()
    rollouts: Rollouts = Rollouts()
    sampler: Sampling = Sampling()
    loss: Loss = Loss()
    optimiser: Optimiser = Optimiser()
    evaluation: Evaluation = Evaluation()


class Sft(_Part):
    """A cold start on trajectories that were kept: of the oracle where `trajectories` is empty,
    else of these files, those with reward 1. `passes` over them, at most `steps` steps. `until`:
    stops as soon as that share of held-out tasks is solved."""

    model: Path
    data: Path
    trajectories: tuple[Path, ...] = ()
    passes: int = Field(default=1, ge=1)
    steps: int | None = Field(default=None, ge=1)
    until: float | None = Field(default=None, gt=0, le=1)
    seed: int = 0
    batch: int = Field(default=16, ge=1)
    keep_every: int = Field(default=100, ge=1)
    format: Format = "hermes"
    tokens: int = Field(default=4096, ge=1)
    turns: int = Field(default=15, ge=1)
    turn_tokens: int = Field(default=512, ge=1)
    concurrent: int = Field(default=64, ge=1)
    tasks: Tasks = Tasks()
    optimiser: Optimiser = Optimiser(rate=1e-5)
    evaluation: Evaluation = Evaluation()


def read_recipe(path: Path, form: type["Recipe"] | type["Sft"], changes: Iterable[str]) -> Any:
    """The recipe of the file with the changes, `key=value` each, `rollouts.group=4` too. UserError
    with the place of what is wrong."""
    try:
        given = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"cannot be read: {error.strerror}", where=str(path)) from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UserError(f"is no YAML: {_line(error)}", where=str(path)) from None
    if not isinstance(given, dict):
        raise UserError("is no recipe: it has no keys", where=str(path))
    for change in changes:
        _set(given, change)
    try:
        return form.model_validate(given)
    except ValidationError as error:
        raise _wrong(error, form, str(path)) from None


def _set(given: dict[str, Any], change: str) -> None:
    key, equals, value = change.partition("=")
    if not (equals and key):
        raise UserError(f"{change!r} changes nothing", mend="--set key=value")
    place = given
    *way, last = key.split(".")
    for part in way:
        inside = place.setdefault(part, {})
        if not isinstance(inside, dict):
            raise UserError(f"{part!r} has no keys in it", mend=f"--set {part}=VALUE")
        place = inside
    try:
        place[last] = yaml.safe_load(value)
    except yaml.YAMLError:
        place[last] = value


def _wrong(error: ValidationError, form: type[BaseModel], where: str) -> UserError:
    first = error.errors(include_url=False, include_context=False)[0]
    place = [str(part) for part in first["loc"]]
    key = ".".join(place)
    if first["type"] != "extra_forbidden":
        return UserError(f"{key}: {first['msg']}", where=where, mend=f"--set {key}=VALUE")
    known = _keys(form)
    near = get_close_matches(key, known, n=1, cutoff=0.5) or [
        each for each in known if each.rpartition(".")[2] == place[-1]
    ]
    mend = f"did you mean {near[0]}?" if near else f"there are {', '.join(form.model_fields)}"
    return UserError(f"a recipe has no {key!r}", where=where, mend=mend)


def _keys(form: type[BaseModel], before: str = "") -> list[str]:
    found: list[str] = []
    for name, field in form.model_fields.items():
        found.append(before + name)
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            found += _keys(field.annotation, f"{before}{name}.")
    return found


def as_yaml(recipe: BaseModel) -> str:
    plain: Mapping[str, Any] = recipe.model_dump(mode="json")
    return yaml.safe_dump(plain, sort_keys=False, allow_unicode=True)


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
