import json

from tau2.data_model.message import UserMessage
from tau2.utils.llm_utils import generate


def judge(messages, assertions):
    said = " ".join(each.content or "" for each in messages)
    asked = [UserMessage(role="user", content=f"Is it so? {assertions} {said}")]
    found = generate(model="m", messages=asked, call_name="judge")
    return all(each["met"] for each in json.loads(found.content)["results"])
