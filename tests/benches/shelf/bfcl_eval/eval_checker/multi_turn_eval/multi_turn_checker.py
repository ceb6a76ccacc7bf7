def multi_turn_checker(turns, answers, entry, category, model_name):
    return {"valid": turns == answers}
