def get_env(env_name, user_strategy, user_model, task_split, user_provider=None, task_index=None):
    if env_name != "library":
        raise ValueError(env_name)
    from tau_bench.envs.library.env import LibraryEnv

    return LibraryEnv(task_split, task_index, user_model=user_model, user_provider=user_provider)
