"""`changes`: doing nothing earns 0. The golden state differs from the initial one (kinds `change`
and `mixed`), and something is due to be said (kinds `answer` and `mixed`); of a kind `refuse`, one
or the other, and so of a task of a sequence."""

import re

from forge.gates.start import Trial


def changes(trial: Trial) -> str | None:
    task = trial.task
    if task.kind in ("answer", "mixed") and not task.dues:
        return "nothing is due to be said"
    for due in task.dues:
        if isinstance(due.value, str) and is_told(due.value, task.question):
            return f"the question itself says the answer {due.value!r}"
    unchanged = trial.is_golden({})
    if task.kind in ("change", "mixed") and unchanged:
        return "the golden state is the initial one"
    if task.kind == "refuse" and unchanged and not task.dues:
        return "beside what is refused there is nothing to do or to say"
    if task.kind == "sequence" and unchanged and not task.dues:
        return "there is nothing to do or to say"
    if task.kind == "answer" and not unchanged:
        return "an answer task changes the state"
    return None


def is_told(answer: str, question: str) -> bool:
    """Whether the words of the answer stand in the question."""
    words = re.escape(answer.casefold())
    return re.search(rf"(?<![^\W_]){words}(?![^\W_])", question.casefold()) is not None
