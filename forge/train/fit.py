"""A run from its recipe to its weights: loaded, trained, measured on held-out tasks, written down.

Always holds: a run that is stopped and gone on with from its last checkpoint comes to the weights
and numbers that it would have come to; what was written before a checkpoint is kept, whatever
happens after it.
"""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from math import ceil
from pathlib import Path
from statistics import fmean
from typing import Any

import torch
from accelerate import PartialState
from accelerate.utils import broadcast_object_list, gather_object
from transformers import TrainerCallback
from transformers.trainer_callback import PrinterCallback

from forge.dataset.folder import read_dataset
from forge.errors import UserError
from forge.rollout.tokens.load import context_of, load_model, load_template
from forge.train.adapter import adapter_of, save_merged
from forge.train.alarms import alarm_at
from forge.train.checks import check_proven
from forge.train.disk import room_needed
from forge.train.play import playground
from forge.train.player import Player
from forge.train.recipe import Recipe, Sft
from forge.train.record import Record, Tried, begin
from forge.train.runs import read_run
from forge.train.sft import ShowTrainer
from forge.train.shown import ANY, Shows, shows
from forge.train.trainer import Batch, PolicyTrainer
from forge.train.weights import check_sampler, here, is_sharded, weights_of

LOWER = "--set optimiser.rows=1, --set rollouts.concurrent=… or a smaller rollouts.tokens"
HELD_OUT = 0
"""The number of the attempt by which held-out tasks are played, at every evaluation alike."""


@dataclass(frozen=True, slots=True)
class Progress:
    """A step that is done. `numbers`: of it; `passed`: the held-out pass rate, where it was
    measured there; `alarm`: what goes wrong as of this step, "" if nothing does."""

    step: int
    steps: int
    numbers: Mapping[str, float]
    passed: float | None = None
    alarm: str = ""


Tell = Callable[[Progress], None]
Logged = Callable[[int, Mapping[str, float]], None]


def fit(recipe: Recipe | Sft, folder: Path, *, resume: bool, tell: Tell) -> Shows | None:
    """Trains as the recipe says, in each process of the run; one of them writes its folder. What a
    cold start learned from is given back.

    UserError for what the user can mend."""
    training = Training(recipe)
    if not processes().is_main_process:
        training.run(folder, _shared(None), None, tell)
        return training.shows
    with begin(folder, recipe, data=training.hash, steps=training.steps, resume=resume) as record:
        training.run(folder, _shared(record.checkpoint), record, tell)
    return training.shows


def _shared(checkpoint: Path | None) -> Path | None:
    """What the process that writes gives on from, for all."""
    found: list[Path | None] = broadcast_object_list([checkpoint])
    return found[0]


def processes() -> PartialState:
    """Those of the run, and which one this is; joined when first asked for."""
    return PartialState(cpu=not torch.cuda.is_available())


class Training:
    """A recipe with all that it needs, ready to begin. `steps`: batches of rollouts, or of rows;
    `hash`: of what is trained on; `shows`: what a cold start learns from."""

    def __init__(self, recipe: Recipe | Sft) -> None:
        """UserError for what the user can mend: the model, the data set, lengths."""
        self.recipe = recipe
        for name in recipe.report_to if isinstance(recipe, Recipe) else ():
            if find_spec(name) is None:
                raise UserError(f"report_to needs the package {name}", mend=f"pip install {name}")
        if isinstance(recipe, Recipe):
            check_sampler(recipe)
        elif recipe.evaluation.every and is_sharded():
            raise UserError(
                "a model in shards cannot be measured on the way", mend="--set evaluation.every=0"
            )
        tests = recipe.evaluation.tasks if recipe.evaluation.every else 0
        self.place = playground(read_dataset(recipe.data), recipe.tasks, tests)
        check_proven(self.place.dataset, [*self.place.train.values(), *self.place.test.values()])
        self.template = load_template(recipe.model)
        self.hash = self.place.hash
        self.shows: Shows | None = None
        if isinstance(recipe, Sft):
            self.shows = shows(
                self.place,
                self.template,
                format=recipe.format,
                turns=recipe.turns,
                tokens=recipe.tokens,
                teachers=recipe.trajectories,
                seed=recipe.seed,
            )
            whole = recipe.passes * ceil(len(self.shows.rows) / recipe.batch)
            self.steps = min(whole, recipe.steps or whole)
        else:
            self.steps = recipe.steps
            self._look_at_one(recipe)
        processes()  # says which device is this one's
        self._model = load_model(recipe.model, spread=is_sharded()).float()
        tokens = recipe.tokens if isinstance(recipe, Sft) else recipe.rollouts.tokens
        if tokens > (most := context_of(self._model)):
            key = "tokens" if isinstance(recipe, Sft) else "rollouts.tokens"
            raise UserError(
                f"{key} is {tokens}, and the model reads {most}", mend=f"--set {key}={most}"
            )
        self._turns = recipe.turns if isinstance(recipe, Sft) else recipe.rollouts.turns[-1]

    def _look_at_one(self, recipe: Recipe) -> None:
        """UserError where the template cannot write a rollout, before the model is loaded."""
        some, format = list(self.place.train.values())[:1], recipe.rollouts.format
        shows(self.place, self.template, format=format, turns=ANY, tokens=ANY, tasks=some)

    def run(self, folder: Path, checkpoint: Path | None, record: Record | None, tell: Tell) -> None:
        """To the last step, from the checkpoint on, None: from the beginning. The weights are then
        in the folder's `model`. `record`: of the process that writes, None in the others.
        UserError where the memory is too small, or the disk."""
        recipe = self.recipe
        updates = 1 if isinstance(recipe, Sft) else recipe.optimiser.updates
        watch = Watch(
            self._measured,
            recipe.evaluation.every,
            updates,
            lambda step, tried: self._noted(record, step, tried, tell),
            until=recipe.until if isinstance(recipe, Sft) else None,
        )

        steps = [] if record is None else list(read_run(folder).metrics)

        def logged(step: int, numbers: Mapping[str, float]) -> None:
            if record is not None:
                record.step(step, numbers)
                steps.append(numbers)
                alarm = "" if isinstance(recipe, Sft) else alarm_at(steps)
                tell(Progress(step, self.steps, numbers, alarm=alarm))

        with _memory(), _quiet(), room_needed(folder):
            trainer = self._trainer(folder, record, logged, watch)
            self._player = trainer.player = self._playing(trainer)
            trainer.remove_callback(PrinterCallback)
            trainer.train(resume_from_checkpoint=None if checkpoint is None else str(checkpoint))
            if recipe.optimiser.lora is None:
                trainer.save_model(str(folder / "model"))
            else:
                save_merged(trainer, folder / "model")
        self._player.close()
        if record is not None:
            record.finish()

    def _trainer(self, folder: Path, record: Record | None, logged: Logged, watch: "Watch") -> Any:
        more = {
            "ranks": processes().num_processes,
            "logged": logged,
            "callbacks": [watch],
            "peft_config": adapter_of(self.recipe.optimiser.lora),
        }
        recipe, tokenizer = self.recipe, self.template.tokenizer
        if isinstance(recipe, Sft):
            assert self.shows is not None
            rows = self.shows.rows
            return ShowTrainer(recipe, self._model, tokenizer, rows, folder, **more)

        def heard(step: int, batch: Batch) -> None:
            if step == 1 or step % recipe.samples == 0:
                every = gather_object(batch.kept())
                if record is not None:
                    record.samples(step, every)

        return PolicyTrainer(
            recipe,
            self._model,
            tokenizer,
            self.place,
            folder,
            heard=heard,
            **more,
        )

    def _playing(self, trainer: Any) -> Player:
        recipe = self.recipe
        part = recipe if isinstance(recipe, Sft) else recipe.rollouts
        return Player(
            here(self._model, self.template, recipe.tokens)
            if isinstance(recipe, Sft)
            else weights_of(recipe, trainer, self._model, self.template),
            self.template,
            self.place,
            format=part.format,
            turn_tokens=part.turn_tokens,
            concurrent=part.concurrent,
        )

    def _measured(self) -> list[Tried]:
        """Each held-out task once; only those that could be scored."""
        state = processes()
        mine = list(self.place.test.values())[state.process_index :: state.num_processes]
        found = self._player.play(
            [(task, HELD_OUT) for task in mine],
            seed=self.recipe.seed,
            turns=self._turns,
            temperature=self.recipe.evaluation.temperature,
        )
        own = [Tried(t.task, t.env, t.reward == 1) for t in found if t.reward is not None]
        return sorted(gather_object(own), key=lambda each: each.task)

    def _noted(self, record: Record | None, step: int, tried: Sequence[Tried], tell: Tell) -> float:
        passed = fmean(each.passed for each in tried) if tried else 0.0
        if record is not None and not record.has_evaluated(step):
            record.evaluated(step, tried)
            tell(Progress(step, self.steps, {}, passed))
        return passed


@contextmanager
def _quiet() -> Iterator[None]:
    """Without what the libraries say to those who build on them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        warnings.filterwarnings("ignore", message="You are using 'rollout_func'")
        yield


@contextmanager
def _memory() -> Iterator[None]:
    try:
        yield
    except (torch.OutOfMemoryError, MemoryError) as error:
        raise UserError("the memory is too small", mend=LOWER) from error
    except RuntimeError as error:
        if "allocate memory" not in str(error):
            raise
        raise UserError("the memory is too small", mend=LOWER) from error


class Watch(TrainerCallback):  # type: ignore[misc]
    """Measures before the first step, every so many steps of so many `updates` (0: never), and
    after the last. `note`: gives the pass rate; `until`: training stops at that one."""

    def __init__(
        self,
        measured: Callable[[], Sequence[Tried]],
        every: int,
        updates: int,
        note: Callable[[int, Sequence[Tried]], float],
        *,
        until: float | None = None,
    ) -> None:
        self._measured, self._every, self._updates = measured, every, updates
        self._note, self._until = note, until
        self._at = -1

    def on_train_begin(self, args: Any, state: Any, control: Any, **rest: Any) -> None:
        if self._every and state.global_step == 0:
            self._look(0)

    def on_step_end(self, args: Any, state: Any, control: Any, **rest: Any) -> None:
        step, part = divmod(state.global_step, self._updates)
        if not self._every or part or step % self._every:
            return
        passed = self._look(step)
        if self._until is not None and passed >= self._until:
            control.should_training_stop = True
            control.should_save = True

    def on_train_end(self, args: Any, state: Any, control: Any, **rest: Any) -> None:
        step = state.global_step // self._updates
        if self._every and self._at < step:
            self._look(step)

    def _look(self, step: int) -> float:
        self._at = step
        return self._note(step, self._measured())
