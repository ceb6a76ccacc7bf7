class BaseApi:
    def __init__(self):
        self.power = False

    def _load_scenario(self, scenario, long_context=False):
        self.power = scenario.get("power", self.power)

    def cut_power(self):
        self.power = False
        return {"status": True}


class Lamp(BaseApi):
    def __init__(self):
        super().__init__()
        self.level = 0

    def _load_scenario(self, scenario, long_context=False):
        super()._load_scenario(scenario)
        self.level = scenario.get("level", self.level)

    def set_lamp(self, level):
        if not self.power:
            return {"status": False}
        self.level = level
        return {"status": True}
