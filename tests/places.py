"""Where the test inputs lie: the shared corpus and cases are read in place, beside the project."""

from pathlib import Path

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared"
CORPUS = SHARED / "corpus"
CASES = SHARED / "cases"
HAND = ROOT / "tests" / "hand"
