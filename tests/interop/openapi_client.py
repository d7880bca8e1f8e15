"""Creates and reads an order with the client that openapi-python-client generates from openapi.yaml. Arguments:
BASE_URL KEY NUMBER, where NUMBER is the merchant_order_no."""

import sys

from finality_client import AuthenticatedClient
from finality_client.api.orders import create_order, get_order
from finality_client.models import Order, OrderCreate

base_url, key, number = sys.argv[1:]
client = AuthenticatedClient(base_url=base_url, token=key)
made = create_order.sync(client=client, body=OrderCreate.from_dict({
    "merchant_order_no": number, "amount": 1999, "currency": "CNY", "subject": "Two coffees",
    "payment": {"channel": "sandbox", "scenario": "manual"}}))
assert isinstance(made, Order), made
read = get_order.sync(client=client, id=made.id)
assert isinstance(read, Order), read
print(read.id, read.state, read.amount, read.payments[0].channel)
