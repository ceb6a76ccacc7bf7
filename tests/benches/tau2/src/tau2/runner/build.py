from tau2.user.user_simulator import UserSimulator


def build_user(name, environment, task, *, llm, llm_args):
    return UserSimulator(task.user_scenario, environment.get_user_tools())


def _build_env_kwargs(config, task):
    return {
        "retrieval_variant": config.retrieval_config,
        "task": task,
        "read_log_allowlist": {each.name for each in task.evaluation_criteria.actions},
    }
