"""A small scorer with the interface of a benchmark's, for tests."""

import ast

from category import CATEGORIES
from model_eval.checker import right

TABLE = dict.fromkeys(CATEGORIES)


def value_of(node):
    return eval(ast.unparse(node))


def decode_ast(model_name, text):
    return [
        {call.func.id: {each.arg: value_of(each.value) for each in call.keywords}}
        for call in ast.parse(text, mode="eval").body.elts
    ]


def save_score_as_json(name, lines, folder):
    raise OSError("writes a file")


def convert_result_to_excel(*given):
    raise OSError("writes a file")


def told(category, model, errors):
    lines = [{"accuracy": 0}, *({"valid": False, "error": each} for each in errors)]
    save_score_as_json(f"{category}.json", lines, OUTPUT_PATH + model)  # noqa: F821


def normal_single_turn_eval(results, tasks, answers, category, model, paths):
    try:
        good = right(decode_ast(model, results[0]["result"]), answers[0]["ground_truth"])
        errors = [] if good else [["wrong value"]]
    except Exception as error:
        good, errors = False, [[f"not decoded: {error}"]]
    told(category, model, errors)
    convert_result_to_excel(model, category, paths)
    return round(float(good), 3)


normal_multi_turn_eval = normal_single_turn_eval


def special_eval(results, tasks, answers, category, model, paths):
    good = "the limitations of the function" in results[0]["result"]
    told(category, model, [] if good else [["not pointed out"]])
    return float(good)


def agent_eval(results, tasks, answers, category, model):
    good = results[0]["result"] == answers[0]["ground_truth"]
    told(category, model, [] if good else [["another state"]])
    with open(f"./{language}/{category}.json", "w") as file:  # noqa: F821, PTH123
        file.write("process")
    made = [each in results[0]["process"] for each in answers[0]["mile_stone"]]
    return float(good), sum(made) / len(made)
