import json


def _told(name, **arguments):
    parameters = {
        "type": "object",
        "properties": {each: {"type": kind} for each, kind in arguments.items()},
        "required": list(arguments),
    }
    function = {"name": name, "description": f"To {name}.", "parameters": parameters}
    return {"type": "function", "function": function}


class FindBook:
    @staticmethod
    def invoke(data, title):
        return json.dumps(
            [{"id": id, **it} for id, it in data["books"].items() if it["title"] == title]
        )

    @staticmethod
    def get_info():
        return _told("find_book", title="string")


class LendBook:
    @staticmethod
    def invoke(data, book, to):
        data["books"][book]["lent"] = to
        data["books"][book]["notes"].append(f"lent to {to}")
        return "lent"

    @staticmethod
    def get_info():
        return _told("lend_book", book="string", to="string")


class CallTheLibrarian:
    @staticmethod
    def invoke(data):
        return "coming"

    @staticmethod
    def get_info():
        return _told("call_the_librarian")


TOOLS = [FindBook, LendBook, CallTheLibrarian]
