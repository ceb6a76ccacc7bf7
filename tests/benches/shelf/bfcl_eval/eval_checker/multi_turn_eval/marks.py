"""A small class that no multi-turn task takes part in, for tests."""


class Marks:
    def __init__(self):
        self.marks = {}

    def set_mark(self, key, value):
        if key in self.marks:
            return {"error": "It is there."}
        self.marks[key] = value
        return {"status": "It is set."}
