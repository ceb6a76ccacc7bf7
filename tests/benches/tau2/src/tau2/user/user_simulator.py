from tau2.data_model.message import UserMessage
from tau2.utils.llm_utils import generate


class UserSimulator:
    def __init__(self, instructions, tools):
        self.tools = tools
        self.heard = [UserMessage(role="system", content=f"Your wish: {instructions}")]

    def generate_next_message(self, message):
        role = "tool" if message.role == "tool" else "user"
        self.heard.append(UserMessage(role=role, content=message.content))
        found = generate(model="m", messages=self.heard, tools=self.tools, call_name="user")
        self.heard.append(found)
        calls = [c.model_copy(update={"requestor": "user"}) for c in found.tool_calls or ()]
        return UserMessage(role="user", content=found.content, tool_calls=calls or None)
