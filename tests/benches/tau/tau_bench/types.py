from typing import Any

from pydantic import BaseModel

RESPOND_ACTION_NAME = "respond"


class Action(BaseModel):
    name: str
    kwargs: dict[str, Any]


class Task(BaseModel):
    actions: list[Action]
    instruction: str
    outputs: list[str] = []


class Judged(BaseModel):
    outputs: dict[str, bool] = {}


class Reward(BaseModel):
    reward: float
    info: Judged


class Info(BaseModel):
    reward_info: Reward | None = None


class Response(BaseModel):
    observation: str
    reward: float = 0
    done: bool = False
    info: Info = Info()


class RunConfig(BaseModel):
    user_model: str = "the-usual-user"
