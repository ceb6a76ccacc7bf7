from tau2.domains.mock import environment


class Registry:
    def get_domains(self):
        return ["mock"]

    def get_env_constructor(self, name):
        return environment.Environment

    def get_tasks_loader(self, name):
        return environment.get_tasks

    def get_task_splits_loader(self, name):
        return environment.get_tasks_split


registry = Registry()
