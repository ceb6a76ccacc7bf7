from tau2.user.user_simulator import UserSimulator


def build_user(name, environment, task, *, llm, llm_args):
    return UserSimulator(task.user_scenario, environment.get_user_tools())
