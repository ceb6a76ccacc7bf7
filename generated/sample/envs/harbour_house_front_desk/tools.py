'Harbour House Front Desk: the tools, made by forge from a document.'


def list_rooms(
    kind: str | None = None,
    floor: int | None = None,
    state: str = 'open',
    max_rate: float | None = None,
    sort: str | None = None,
) -> dict:
    'List rooms'
    order = []
    if sort is not None:
        if sort not in ['room_number', 'rate', '-rate']:
            fail('invalid', 'cannot sort by ' + repr(sort))
        order = [sort]
    rows = find('rooms', sort=order, **given(kind=kind, floor=floor, state=state, rate__le=max_rate))
    return {'data': rows}


def get_room(room_number: int) -> dict:
    'Show one room'
    row = get('rooms', room_number)
    return row


def update_room(
    room_number: int,
    rate: float | None = None,
    beds: int | None = None,
    view: str | None = None,
) -> dict:
    "Change a room's rate or equipment"
    row = get('rooms', room_number)
    row = update('rooms', row['room_number'], **given(rate=rate, beds=beds, view=view))
    return row


def close_room(room_number: int) -> dict:
    'Close a room for repairs'
    row = get('rooms', room_number)
    if row.get('state') != 'open':
        fail('conflict', 'the state of the room is ' + repr(row.get('state')))
    row = update('rooms', row['room_number'], state='closed')
    return row


def reopen_room(room_number: int) -> dict:
    'Open a closed room again'
    row = get('rooms', room_number)
    if row.get('state') != 'closed':
        fail('conflict', 'the state of the room is ' + repr(row.get('state')))
    row = update('rooms', row['room_number'], state='open')
    return row


def list_guests(
    name: str | None = None,
    country: str | None = None,
    page_number: int = 1,
    page_size: int = 20,
) -> dict:
    'List guests'
    if page_number < 1 or page_size < 1:
        fail('invalid', 'pages are counted from 1 and their sizes from 1')
    rows = find('guests', **given(name=name, country=country), limit=page_size, offset=(page_number - 1) * page_size)
    return {'data': rows, 'page': page_number}


def create_guest(
    name: str,
    email: str,
    phone: str | None = None,
    country: str | None = None,
) -> dict:
    'Register a guest'
    row = insert('guests', name=name, email=email, **given(phone=phone, country=country))
    return row


def get_guest(guest_id: str) -> dict:
    'Show one guest'
    row = get('guests', guest_id)
    return row


def replace_guest(
    guest_id: str,
    name: str,
    email: str,
    phone: str | None = None,
    country: str | None = None,
) -> dict:
    'Replace what is known of a guest'
    row = get('guests', guest_id)
    kept = {name: value for name, value in row.items() if name not in ('name', 'email', 'phone', 'country', )}
    kept['name'] = name
    kept['email'] = email
    if phone is not None:
        kept['phone'] = phone
    if country is not None:
        kept['country'] = country
    row = save('guests', kept)
    return row


def list_reservations(
    guest_id: str | None = None,
    room_number: int | None = None,
    status: str = 'booked',
    arrival_from: str | None = None,
    arrival_to: str | None = None,
    page_number: int = 1,
    page_size: int = 20,
    sort: str | None = None,
) -> dict:
    'List reservations'
    order = []
    if sort is not None:
        if sort not in ['arrival', '-arrival', 'departure']:
            fail('invalid', 'cannot sort by ' + repr(sort))
        order = [sort]
    if page_number < 1 or page_size < 1:
        fail('invalid', 'pages are counted from 1 and their sizes from 1')
    rows = find('reservations', sort=order, **given(guest_id=guest_id, room_number=room_number, status=status, arrival__ge=arrival_from, arrival__le=arrival_to), limit=page_size, offset=(page_number - 1) * page_size)
    return {'data': rows, 'page': page_number}


def create_reservation(
    guest_id: str,
    room_number: int,
    arrival: str,
    departure: str,
    adults: int | None = None,
    breakfast: bool | None = None,
    wishes: str | None = None,
) -> dict:
    'Book a room for a guest'
    row = insert('reservations', guest_id=guest_id, room_number=room_number, arrival=arrival, departure=departure, **given(adults=adults, breakfast=breakfast, wishes=wishes))
    return row


def get_reservation(code: str) -> dict:
    'Show one reservation'
    row = get('reservations', code)
    return row


def change_reservation(
    code: str,
    room_number: int | None = None,
    arrival: str | None = None,
    departure: str | None = None,
    adults: int | None = None,
    breakfast: bool | None = None,
    wishes: str | None = None,
) -> dict:
    'Change the room, the dates or the wishes of a reservation'
    row = get('reservations', code)
    row = update('reservations', row['code'], **given(room_number=room_number, arrival=arrival, departure=departure, adults=adults, breakfast=breakfast, wishes=wishes))
    return row


def cancel_reservation(code: str) -> dict:
    'Cancel a reservation'
    row = get('reservations', code)
    if row.get('status') != 'booked':
        fail('conflict', 'the status of the reservation is ' + repr(row.get('status')))
    row = update('reservations', row['code'], status='cancelled')
    return row


def check_in(code: str) -> dict:
    'Check a guest in'
    row = get('reservations', code)
    if row.get('status') != 'booked':
        fail('conflict', 'the status of the reservation is ' + repr(row.get('status')))
    row = update('reservations', row['code'], status='checked_in')
    return row
