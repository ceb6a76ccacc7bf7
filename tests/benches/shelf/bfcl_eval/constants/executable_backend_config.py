MULTI_TURN_FUNC_DOC_FILE_MAPPING = {"Shelf": "shelf.json", "Marks": "marks.json"}
CLASS_FILE_PATH_MAPPING = {
    "Shelf": "bfcl_eval.eval_checker.multi_turn_eval.shelf",
    "Marks": "bfcl_eval.eval_checker.multi_turn_eval.marks",
}
