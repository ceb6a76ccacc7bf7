from importlib import import_module

from tau_bench.envs.base import Env
from tau_bench.envs.library.data import load_data
from tau_bench.envs.library.tools import TOOLS


class LibraryEnv(Env):
    def __init__(self, split, index, **user):
        tasks = import_module(f"tau_bench.envs.library.tasks_{split}").TASKS
        super().__init__(load_data, TOOLS, tasks, "The rules of the library.", index, **user)
        self.terminate_tools = ["call_the_librarian"]
