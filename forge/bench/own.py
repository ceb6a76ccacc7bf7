"""Episodes in the shapes that benchmarks' own tools read.

Always holds: an episode without a score is left out, since their tools would take it for a 0.
"""

import json
from collections.abc import Iterable

from forge.types.data import Json
from forge.types.rollout import Trajectory


def messages_of(system: str, found: Trajectory) -> list[Json]:
    """As chat completions have them."""
    messages: list[Json] = [
        {"role": "system", "content": system},
        {"role": "user", "content": found.question},
    ]
    for step in found.steps:
        turn = step.turn
        said: dict[str, Json] = {"role": "assistant", "content": turn.text or None}
        if turn.calls:
            said["tool_calls"] = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.tool, "arguments": _written(call.arguments)},
                }
                for call in turn.calls
            ]
        messages.append(said)
        if turn.calls:
            messages += [
                {"role": "tool", "tool_call_id": call.id, "name": call.tool, "content": result.text}
                for call, result in zip(turn.calls, step.results, strict=False)
            ]
        else:
            messages.append({"role": "user", "content": step.user or ""})
    return messages


def tau_results(episodes: Iterable[tuple[str, Trajectory]]) -> str:
    """τ-bench's list of results, of one domain and split. With each episode the rules that its
    agent was told."""
    return json.dumps(
        [
            {
                "task_id": int(found.task.rpartition("/")[2]),
                "reward": float(found.reward),
                "info": {"source": "user", "note": found.verdict.why if found.verdict else ""},
                "traj": messages_of(system, found),
                "trial": found.attempt,
            }
            for system, found in episodes
            if found.reward is not None
        ],
        indent=2,
        ensure_ascii=False,
    )


def bfcl_results(episodes: Iterable[tuple[str, Trajectory]]) -> str:
    """BFCL's lines of results, of one category: of each turn its steps, of each step its calls, as
    its handlers of models that can call have them. With each episode its id there."""
    lines = []
    for id, found in episodes:
        if found.reward is None:
            continue
        turns: list[list[Json]] = [[]]
        for step in found.steps:
            if step.turn.calls:
                turns[-1].append([{c.tool: _written(c.arguments)} for c in step.turn.calls])
                continue
            turns[-1].append(step.turn.text)
            turns.append([])
        if not turns[-1]:
            turns.pop()
        lines.append(json.dumps({"id": id, "result": turns}, ensure_ascii=False))
    return "".join(f"{line}\n" for line in lines)


def _written(arguments: Json) -> str:
    return json.dumps(arguments or {}, ensure_ascii=False)
