CLASS_FILE_PATH_MAPPING_EN = dict.fromkeys(
    ("BaseApi", "Lamp"), "model_inference.multi_turn.scenario"
)
CLASS_FILE_PATH_MAPPING_ZH = CLASS_FILE_PATH_MAPPING_EN
