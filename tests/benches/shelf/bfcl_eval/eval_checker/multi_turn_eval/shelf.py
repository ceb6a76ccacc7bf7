"""A small class with the interface of a benchmark's, for tests."""


class Shelf:
    def _load_scenario(self, scenario, long_context=False):
        self.owner = scenario["owner"]
        self.books = {int(key): book for key, book in scenario["books"].items()}
        self.notes = {int(key): notes for key, notes in scenario["notes"].items()}
        self.counter = scenario["counter"]

    def add_book(self, title):
        book = {"id": self.counter, "title": title, "reader": None}
        self.books[self.counter] = book
        self.counter += 1
        return book

    def get_book(self, book_id):
        return self.books.get(book_id) or {"error": f"There is no book {book_id}."}

    def find_books(self, word):
        return [book for book in self.books.values() if word.lower() in book["title"].lower()]

    def lend_book(self, book_id, reader):
        if book_id not in self.books:
            return {"error": f"There is no book {book_id}."}
        self.books[book_id]["reader"] = reader
        return {"status": f"Book {book_id} is lent."}

    def note(self, book_id, text):
        self.notes.setdefault(book_id, []).append({"text": text})
        return {"status": "It is noted."}

    def burn(self):
        self.books.clear()
