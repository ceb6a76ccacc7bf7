"""A small evaluator with the interface of a benchmark's, for tests."""

from enum import StrEnum
from types import SimpleNamespace

from tau2.data_model.message import ToolCall
from tau2.evaluator import evaluator_nl_assertions
from tau2.registry import registry


class EvaluationType(StrEnum):
    ALL = "all"


def evaluate_simulation(simulation, task, evaluation_type, solo_mode, domain, env_kwargs=None):
    criteria = task.evaluation_criteria
    mine, gold = (registry.get_env_constructor(domain)(**(env_kwargs or {})) for _ in range(2))
    mine.set_state(None, None, simulation.messages)
    for each in criteria.actions:
        gold.get_response(ToolCall(**vars(each)))
    said = [each.content or "" for each in simulation.messages if each.role == "assistant"]
    parts = {}
    for basis in criteria.reward_basis:
        if basis.value == "DB":
            good = mine.db == gold.db
        elif basis.value == "COMMUNICATE":
            good = all(any(each in text for text in said) for each in criteria.communicate_info)
        else:
            good = evaluator_nl_assertions.judge(simulation.messages, criteria.nl_assertions)
        parts[Part(basis.value)] = float(good)
    return SimpleNamespace(
        reward=float(all(parts.values())),
        reward_breakdown=parts,
    )


class Part(StrEnum):
    DB = "DB"
    COMMUNICATE = "COMMUNICATE"
    NL_ASSERTION = "NL_ASSERTION"
