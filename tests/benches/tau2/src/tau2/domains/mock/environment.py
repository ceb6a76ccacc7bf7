import json
import os
from pathlib import Path
from types import SimpleNamespace

from tau2.data_model.message import ToolMessage

FOLDER = Path(os.environ["TAU2_DATA_DIR"]) / "tau2" / "domains" / "mock"


class Tool:
    def __init__(self, name, *arguments):
        self.name, self.arguments = name, arguments

    @property
    def openai_schema(self):
        parameters = {
            "type": "object",
            "properties": {each: {"type": "string"} for each in self.arguments},
        }
        return {
            "type": "function",
            "function": {"name": self.name, "description": "", "parameters": parameters},
        }


class Environment:
    policy = "Be fair."

    def __init__(self, **given):
        self.db = json.loads((FOLDER / "db.json").read_text())

    def get_tools(self):
        return [Tool("sell", "item")]

    def get_user_tools(self):
        return [Tool("pay")]

    def set_state(self, initialization_data, initialization_actions, message_history):
        for message in message_history:
            for call in message.tool_calls or ():
                self.get_response(call)

    def get_response(self, call):
        if call.name == "sell" and call.arguments.get("item") in self.db["stock"]:
            self.db["stock"].remove(call.arguments["item"])
            text = "sold"
        elif call.name == "pay":
            self.db["paid"], text = True, "paid"
        else:
            text = "Error: no"
        return ToolMessage(id=call.id, role="tool", content=text, requestor=call.requestor)


def action(name, requestor="assistant", **arguments):
    return SimpleNamespace(name=name, requestor=requestor, arguments=arguments)


def task_of(told):
    basis = [SimpleNamespace(value=each) for each in told["basis"]]
    criteria = SimpleNamespace(
        actions=[action(**each) for each in told["actions"]],
        communicate_info=told.get("told", []),
        nl_assertions=told.get("judged"),
        reward_basis=basis,
    )
    return SimpleNamespace(
        id=told["id"],
        user_scenario=told["wish"],
        initial_state=None,
        evaluation_criteria=criteria,
    )


def get_tasks(split):
    wanted = get_tasks_split()[split]
    return [
        task_of(each)
        for each in json.loads((FOLDER / "tasks.json").read_text())
        if each["id"] in wanted
    ]


def get_tasks_split():
    return {"base": ["0", "1", "2"], "test": ["1"]}
