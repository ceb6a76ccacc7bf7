DEFAULT_LLM_USER = "the-usual-user"
