from enum import StrEnum
from typing import Any

from pydantic import BaseModel


class TerminationReason(StrEnum):
    USER_STOP = "user_stop"
    MAX_STEPS = "max_steps"


class SimulationRun(BaseModel):
    id: str
    task_id: str
    start_time: str
    end_time: str
    duration: float
    termination_reason: TerminationReason
    messages: list[Any]
