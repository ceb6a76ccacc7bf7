"""The page of a data set: what it was made from, what is in it, its tasks."""

from forge.browse.page import Asked, Page, Values, only
from forge.dataset.folder import read_dataset


def show(asked: Asked) -> Values:
    found = read_dataset(asked.thing.path)
    return {"title": asked.thing.name, "manifest": found.manifest}


PAGES = (Page("dataset", "{thing}/index.html", "dataset.html.j2", show, only),)
