from openai import OpenAI


class APIUSER:
    def __init__(self, model_name, involved_class, language):
        self.client, self.model_name = OpenAI(), model_name
        self.messages, self.involved_class, self.language = [], involved_class, language

    def ask(self):
        return self.client.chat.completions.create(messages=self.messages, model=self.model_name)

    def get_init_prompt(self, question):
        self.messages = [
            {"role": "system", "content": f"Your wish: {question}"},
            {"role": "user", "content": "Can I help?"},
        ]
        return self.ask()

    def step(self, message):
        self.messages.append({"role": "user", "content": message})

    def respond(self):
        return self.ask()
