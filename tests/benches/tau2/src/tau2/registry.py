from tau2.domains.banking_knowledge import environment as banking
from tau2.domains.mock import environment as mock

MODULES = {"mock": mock, "banking_knowledge": banking}


class Registry:
    def get_domains(self):
        return list(MODULES)

    def get_env_constructor(self, name):
        return MODULES[name].Environment

    def get_tasks_loader(self, name):
        return MODULES[name].get_tasks

    def get_task_splits_loader(self, name):
        return vars(MODULES[name]).get("get_tasks_split")


registry = Registry()
