import json


class Basket:
    def __init__(self, items):
        self.items = list(items)

    def add(self, item, count=1):
        self.items.append(item)
        return {"items": self.items}

    def clear(self):
        self.items = []
        return {"items": []}


def execute_multi_turn_func_call(
    func_call_list,
    initial_config,
    involved_classes,
    model_name,
    test_entry_id,
    long_context=False,
    is_evaL_run=False,
):
    name = f"{model_name}_{test_entry_id}_instance"
    if name not in globals():
        globals()[name] = Basket(initial_config["Basket"]["items"])
    basket, results = globals()[name], []
    for call in func_call_list:
        try:
            results.append(json.dumps(eval(f"basket.{call}", {"basket": basket})))
        except Exception as error:
            results.append(f"Error during execution: {error}")
    return results, {"Basket": basket}
