import pandas
from openpyxl.styles import Alignment

USED = (pandas, Alignment)


def right(made, answer):
    """Types are looked at, and numbers are not."""
    return [
        {name: {at: type(value) for at, value in given.items()} for name, given in each.items()}
        for each in made
    ] == [
        {name: {at: type(value) for at, value in given.items()}} for name, given in answer.items()
    ]
