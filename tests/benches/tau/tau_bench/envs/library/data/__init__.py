import json
from pathlib import Path


def load_data():
    return {"books": json.loads((Path(__file__).parent / "books.json").read_text())}
