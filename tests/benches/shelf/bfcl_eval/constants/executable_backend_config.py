MULTI_TURN_FUNC_DOC_FILE_MAPPING = {"Shelf": "shelf.json"}
CLASS_FILE_PATH_MAPPING = {"Shelf": "bfcl_eval.eval_checker.multi_turn_eval.shelf"}
