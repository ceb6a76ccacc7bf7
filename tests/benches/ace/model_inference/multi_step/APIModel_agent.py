MULTI_TURN_AGENT_PROMPT_SYSTEM_EN = "Rules of multi_step. "
MULTI_TURN_AGENT_PROMPT_USER_EN = "You can call {functions}. So far: {history}"
