'Kestrel Shop: the tools, made by forge from a document.'


def list_products(
    category: str | None = None,
    name: str | None = None,
    min_price: float | None = None,
    max_price: float | None = None,
    page_number: int = 1,
    page_size: int = 25,
    sort: str | None = None,
) -> list:
    'List products'
    order = []
    if sort is not None:
        if sort not in ['name', 'price', '-price', 'stock']:
            fail('invalid', 'cannot sort by ' + repr(sort))
        order = [sort]
    if page_number < 1 or page_size < 1:
        fail('invalid', 'pages are counted from 1 and their sizes from 1')
    rows = find('products', sort=order, **given(category=category, name=name, price__ge=min_price, price__le=max_price), limit=page_size, offset=(page_number - 1) * page_size)
    return rows


def create_product(
    sku: str,
    name: str,
    category: str,
    price: float,
    stock: int | None = None,
    description: str | None = None,
) -> dict:
    'Put a product on sale'
    row = insert('products', sku=sku, name=name, category=category, price=price, **given(stock=stock, description=description))
    return row


def get_product(sku: str) -> dict:
    'Show one product'
    row = get('products', sku)
    return row


def update_product(
    sku: str,
    name: str | None = None,
    price: float | None = None,
    stock: int | None = None,
    description: str | None = None,
) -> dict:
    'Change a product'
    row = get('products', sku)
    row = update('products', row['sku'], **given(name=name, price=price, stock=stock, description=description))
    return row


def delete_product(sku: str) -> None:
    'Take a product off sale'
    row = get('products', sku)
    delete('products', row['sku'])
    return None


def list_customers(
    name: str | None = None,
    city: str | None = None,
    tier: str | None = None,
    page_number: int = 1,
    page_size: int = 25,
) -> list:
    'List customers'
    if page_number < 1 or page_size < 1:
        fail('invalid', 'pages are counted from 1 and their sizes from 1')
    rows = find('customers', **given(name=name, city=city, tier=tier), limit=page_size, offset=(page_number - 1) * page_size)
    return rows


def create_customer(name: str, email: str, city: str, tier: str | None = None) -> dict:
    'Add a customer'
    row = insert('customers', name=name, email=email, city=city, **given(tier=tier))
    return row


def get_customer(customer_id: str) -> dict:
    'Show one customer'
    row = get('customers', customer_id)
    return row


def update_customer(
    customer_id: str,
    name: str | None = None,
    email: str | None = None,
    city: str | None = None,
    tier: str | None = None,
) -> dict:
    "Change a customer's details"
    row = get('customers', customer_id)
    row = update('customers', row['customer_id'], **given(name=name, email=email, city=city, tier=tier))
    return row


def list_orders(
    customer_id: str | None = None,
    status: str | None = None,
    page_number: int = 1,
    page_size: int = 25,
    sort: str | None = None,
) -> list:
    'List orders'
    order = []
    if sort is not None:
        if sort not in ['placed_on', '-placed_on']:
            fail('invalid', 'cannot sort by ' + repr(sort))
        order = [sort]
    if page_number < 1 or page_size < 1:
        fail('invalid', 'pages are counted from 1 and their sizes from 1')
    rows = find('orders', sort=order, **given(customer_id=customer_id, status=status), limit=page_size, offset=(page_number - 1) * page_size)
    return rows


def create_order(
    customer_id: str,
    delivery_address: str,
    delivery_method: str | None = None,
    gift_note: str | None = None,
) -> dict:
    'Open an order for a customer'
    row = insert('orders', customer_id=customer_id, delivery_address=delivery_address, **given(delivery_method=delivery_method, gift_note=gift_note))
    return row


def get_order(order_number: int) -> dict:
    'Show one order'
    row = get('orders', order_number)
    return row


def update_order(
    order_number: int,
    delivery_address: str | None = None,
    delivery_method: str | None = None,
    gift_note: str | None = None,
) -> dict:
    'Change where or how an order is delivered'
    row = get('orders', order_number)
    row = update('orders', row['order_number'], **given(delivery_address=delivery_address, delivery_method=delivery_method, gift_note=gift_note))
    return row


def cancel_order(order_number: int) -> dict:
    'Cancel an order'
    row = get('orders', order_number)
    if row.get('status') != 'open':
        fail('conflict', 'the status of the order is ' + repr(row.get('status')))
    row = update('orders', row['order_number'], status='cancelled')
    return row


def ship_order(order_number: int) -> dict:
    'Mark an order as shipped'
    row = get('orders', order_number)
    if row.get('status') != 'paid':
        fail('conflict', 'the status of the order is ' + repr(row.get('status')))
    row = update('orders', row['order_number'], status='shipped')
    return row


def list_order_lines(order_number: int) -> list:
    'List the lines of an order'
    get('orders', order_number)
    rows = find('lines', order_number=order_number)
    return rows


def add_order_line(order_number: int, sku: str, quantity: int) -> dict:
    'Add a line to an order'
    get('orders', order_number)
    row = insert('lines', order_number=order_number, sku=sku, quantity=quantity)
    return row


def update_order_line(order_number: int, line_id: str, quantity: int) -> dict:
    'Change the quantity of an order line'
    row = get('lines', line_id)
    if row.get('order_number') != order_number:
        fail('not_found', 'there is no order line ' + repr(line_id) + ' there')
    row = update('lines', row['line_id'], quantity=quantity)
    return row


def remove_order_line(order_number: int, line_id: str) -> None:
    'Take a line off an order'
    row = get('lines', line_id)
    if row.get('order_number') != order_number:
        fail('not_found', 'there is no order line ' + repr(line_id) + ' there')
    delete('lines', row['line_id'])
    return None
