import litellm
from litellm.caching.caching import Cache
from litellm.main import ModelResponse
from tau2.data_model.message import AssistantMessage

litellm.drop_params = True
litellm.disable_cache()
USED = (Cache, ModelResponse)


def to_litellm_messages(messages):
    found = []
    for each in messages:
        written = {"role": each.role, "content": each.content}
        if each.tool_calls:
            written["tool_calls"] = [{"id": c.id, "name": c.name} for c in each.tool_calls]
        found.append(written)
    return found


def generate(model, messages, tools=None, **given):
    return AssistantMessage(role="assistant", content=litellm.completion(messages))
