from litellm import completion


class LLMUserSimulationEnv:
    def __init__(self, model, provider):
        self.messages = []

    def generate_next_message(self, messages):
        return completion(messages=messages)

    def reset(self, instruction=None):
        self.messages = [
            {"role": "system", "content": f"You want this: {instruction}"},
            {"role": "user", "content": "Good day!"},
        ]
        return self.generate_next_message(self.messages)

    def step(self, content):
        self.messages.append({"role": "user", "content": content})
        return self.generate_next_message(self.messages)


def load_user(**named):
    return LLMUserSimulationEnv(**named)
