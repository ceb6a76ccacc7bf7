CATEGORIES = ["agent", "normal", "special"]
