"""Creates merchants and closed orders, and waits for the webhook deliveries of an order."""

from api import Api
from wait import until


def new_merchant(contract, server):
    """Creates a merchant with a key. Returns an API client with this key."""
    admin = Api(contract, server.base_url, server.admin_key)
    merchant = admin.post("/v1/merchants", {"name": "shop"}, expect=201)
    key = admin.post("/v1/api_keys", {"merchant": merchant["id"], "name": "till"}, expect=201)
    return Api(contract, server.base_url, key["key"])


def close_order(api, **fields):
    """Creates and closes an order, which causes a delivery to every webhook endpoint. Returns the created order."""
    order = api.create_order(**fields)
    api.close(order["id"])
    return order


def deliveries_after(api, order, attempts, timeout=15):
    """Waits until each delivery of the order has that many attempts or is final. Returns the deliveries."""

    def made():
        found = api.all("/v1/webhook_deliveries", order=order["id"])
        enough = all(each["attempts"] >= attempts or each["state"] != "pending" for each in found)
        return found if found and enough else None

    return until(made, f"the deliveries of {order['id']} have been tried", timeout)
