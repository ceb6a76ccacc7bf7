"""How a person says it: words, phrases, clauses, questions."""
