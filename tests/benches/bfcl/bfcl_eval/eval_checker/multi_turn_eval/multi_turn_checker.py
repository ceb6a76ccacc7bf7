"""A small checker with the interface of a benchmark's, for tests."""

from bfcl_eval.eval_checker.multi_turn_eval.multi_turn_utils import execute_multi_turn_func_call


def multi_turn_checker(turns, answers, entry, category, model_name):
    given = (entry["initial_config"], entry["involved_classes"])
    for number, (steps, answer) in enumerate(zip(turns, answers, strict=True)):
        mine = None
        for step in steps:
            _, mine = execute_multi_turn_func_call(step, *given, model_name, entry["id"])
        _, gold = execute_multi_turn_func_call(answer, *given, f"{model_name}_gold", entry["id"])
        if answer and mine is None:
            return {"valid": False, "error_message": f"nothing was called in turn {number}"}
        if answer and mine["Basket"].items != gold["Basket"].items:
            return {"valid": False, "error_message": f"another state in turn {number}"}
    return {"valid": True}
