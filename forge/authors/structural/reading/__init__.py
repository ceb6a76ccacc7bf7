"""What each operation is about, takes and answers, as the document says it."""
