from pydantic import BaseModel


class ToolCall(BaseModel):
    id: str = ""
    name: str
    arguments: dict
    requestor: str = "assistant"


class Message(BaseModel):
    role: str
    content: str | None = None
    tool_calls: list[ToolCall] | None = None


class AssistantMessage(Message):
    pass


class UserMessage(Message):
    pass


class ToolMessage(Message):
    id: str = ""
    requestor: str = "assistant"


class MultiToolMessage(BaseModel):
    tool_messages: list[ToolMessage]
