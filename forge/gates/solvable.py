"""`solvable`: the oracle earns the reward in the real rollout loop, with the scripted user.

The oracle takes every value from the dialogue: what the user told it when it asked, what the tools
wrote. What is said at once must stand in the question, in the user's own words.
"""

from forge.gates.start import Trial
from forge.rollout.loop import Limits, rollout, run_here
from forge.rollout.policies.oracle import Oracle
from forge.rollout.policies.policy import Policy
from forge.rollout.users.scripted import Scripted
from forge.tasks.dags.play import origins_of
from forge.types.dag import Said
from forge.types.rollout import Trajectory

MOST_STEPS = 200
"""More than any golden way has."""


def solvable(trial: Trial) -> str | None:
    task = trial.task
    texts = {fact.name: fact.text for fact in task.facts}
    for node in task.dag.nodes:
        for origin in origins_of(node):
            if isinstance(origin, Said) and texts.get(origin.fact, "\0") not in task.question:
                return f"the question does not say the {origin.fact}"
    found = rolled_out(trial, Oracle())
    if found.reward == 1:
        return None
    if found.outcome != "done" or found.verdict is None:
        return f"the oracle's rollout ends with {found.outcome}: {found.reason}"
    if found.verdict.unsaid:
        return f"the oracle is not heard to give the answer {found.verdict.unsaid[0].expected!r}"
    said = [step.turn.text for step in found.steps if step.turn.text]
    return f"the oracle ends elsewhere: {said[-1] if said else 'it says nothing'}"


def rolled_out(trial: Trial, policy: Policy) -> Trajectory:
    """The policy in the loop, from the task's start. What other gates have called is not called
    again."""
    task = trial.task
    return run_here(
        rollout(
            trial.world,
            task,
            policy.seat(trial.world, task, 0),
            Scripted().speaker(task, 0),
            policy=policy.name,
            user=Scripted.name,
            seed=0,
            limits=Limits(steps=MOST_STEPS),
            stage=trial.run(),
        )
    )
