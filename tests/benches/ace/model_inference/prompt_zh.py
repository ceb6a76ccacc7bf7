USER_PROMPT_ZH = "到现在：{question}"
