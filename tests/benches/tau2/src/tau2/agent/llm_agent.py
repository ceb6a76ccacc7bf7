AGENT_INSTRUCTION = "Help."
SYSTEM_PROMPT = "{agent_instruction} Policy: {domain_policy}"


class LLMAgent:
    def __init__(self, tools, domain_policy, llm):
        self.tools = tools

    def generate_next_message(self, message, state):
        return self._generate_next_message(message, state), state
