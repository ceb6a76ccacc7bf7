'Lindenhof Library: the tools, made by forge from a document.'


def list_books(
    title: str | None = None,
    author: str | None = None,
    genre: str | None = None,
    limit: int = 25,
    offset: int = 0,
    sort: str | None = None,
) -> list:
    'List books'
    order = []
    if sort is not None:
        if sort not in ['title', 'author', 'year', '-year']:
            fail('invalid', 'cannot sort by ' + repr(sort))
        order = [sort]
    if limit is not None and limit < 1:
        fail('invalid', 'limit must be at least 1')
    if offset < 0:
        fail('invalid', 'offset must not be negative')
    rows = find('books', sort=order, **given(title=title, author=author, genre=genre), limit=limit, offset=offset)
    return rows


def add_book(
    title: str,
    author: str,
    genre: str,
    year: int | None = None,
    shelf: str | None = None,
    copies: int | None = None,
) -> dict:
    'Add a book to the catalogue'
    row = insert('books', title=title, author=author, genre=genre, **given(year=year, shelf=shelf, copies=copies))
    return row


def get_book(book_id: str) -> dict:
    'Show one book'
    row = get('books', book_id)
    return row


def update_book(
    book_id: str,
    title: str | None = None,
    shelf: str | None = None,
    copies: int | None = None,
    genre: str | None = None,
) -> dict:
    'Correct what the catalogue says of a book'
    row = get('books', book_id)
    row = update('books', row['book_id'], **given(title=title, shelf=shelf, copies=copies, genre=genre))
    return row


def remove_book(book_id: str) -> None:
    'Take a book out of the catalogue'
    row = get('books', book_id)
    delete('books', row['book_id'])
    return None


def list_members(name: str | None = None, status: str = 'active') -> list:
    'List members'
    rows = find('members', **given(name=name, status=status))
    return rows


def register_member(name: str, email: str, phone: str | None = None) -> dict:
    'Register a new member'
    row = insert('members', name=name, email=email, **given(phone=phone))
    return row


def get_member(card_number: int) -> dict:
    'Show one member'
    row = get('members', card_number)
    return row


def update_member(
    card_number: int,
    name: str | None = None,
    email: str | None = None,
    phone: str | None = None,
) -> dict:
    "Change a member's details"
    row = get('members', card_number)
    row = update('members', row['card_number'], **given(name=name, email=email, phone=phone))
    return row


def suspend_member(card_number: int) -> dict:
    'Suspend a member'
    row = get('members', card_number)
    if row.get('status') != 'active':
        fail('conflict', 'the status of the member is ' + repr(row.get('status')))
    row = update('members', row['card_number'], status='suspended')
    return row


def list_loans(
    card_number: int | None = None,
    book_id: str | None = None,
    status: str = 'active',
    limit: int = 25,
    offset: int = 0,
    sort: str | None = None,
) -> list:
    'List loans'
    order = []
    if sort is not None:
        if sort not in ['due_on', '-due_on', 'lent_on']:
            fail('invalid', 'cannot sort by ' + repr(sort))
        order = [sort]
    if limit is not None and limit < 1:
        fail('invalid', 'limit must be at least 1')
    if offset < 0:
        fail('invalid', 'offset must not be negative')
    rows = find('loans', sort=order, **given(card_number=card_number, book_id=book_id, status=status), limit=limit, offset=offset)
    return rows


def lend_book(book_id: str, card_number: int, due_on: str) -> dict:
    'Lend a book to a member'
    row = insert('loans', book_id=book_id, card_number=card_number, due_on=due_on)
    return row


def extend_loan(loan_id: str, due_on: str) -> dict:
    'Give a loan another due date'
    row = get('loans', loan_id)
    row = update('loans', row['loan_id'], due_on=due_on)
    return row


def return_loan(loan_id: str) -> dict:
    'Take a lent book back'
    row = get('loans', loan_id)
    if row.get('status') != 'active':
        fail('conflict', 'the status of the loan is ' + repr(row.get('status')))
    row = update('loans', row['loan_id'], status='returned')
    return row


def list_holds(book_id: str | None = None, card_number: int | None = None) -> list:
    'List holds'
    rows = find('holds', **given(book_id=book_id, card_number=card_number))
    return rows


def place_hold(
    book_id: str,
    card_number: int,
    needed_by: str | None = None,
    pickup: str | None = None,
) -> dict:
    'Hold a book for a member'
    row = insert('holds', book_id=book_id, card_number=card_number, **given(needed_by=needed_by, pickup=pickup))
    return row


def cancel_hold(hold_id: str) -> None:
    'Cancel a hold'
    row = get('holds', hold_id)
    delete('holds', row['hold_id'])
    return None
