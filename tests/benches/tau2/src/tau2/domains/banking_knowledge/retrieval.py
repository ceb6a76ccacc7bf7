def get_all_variant_names():
    return ["bm25", "full_kb", "golden_retrieval"]
