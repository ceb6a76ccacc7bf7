import json
import os
from pathlib import Path

from tau2.domains.mock import environment as mock

FOLDER = Path(os.environ["TAU2_DATA_DIR"]) / "tau2" / "domains" / "banking_knowledge"


class Environment(mock.Environment):
    def __init__(self, retrieval_variant, task, read_log_allowlist, **given):
        super().__init__()
        self.allowed = read_log_allowlist
        told = task.user_scenario if retrieval_variant == "golden_retrieval" else "The rules"
        self.policy = f"{told} ({retrieval_variant})."


def get_tasks(split):
    return [
        mock.task_of(json.loads(file.read_text())) for file in sorted(FOLDER.glob("tasks/*.json"))
    ]
