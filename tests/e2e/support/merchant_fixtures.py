"""A merchant who has just been made, and what is told of an order that it closed."""

from api import Api
from wait import until


def new_merchant(contract, server):
    """The API for a merchant who has just been made."""
    admin = Api(contract, server.base_url, server.admin_key)
    merchant = admin.post("/v1/merchants", {"name": "shop"}, expect=201)
    key = admin.post("/v1/api_keys", {"merchant": merchant["id"], "name": "till"}, expect=201)
    return Api(contract, server.base_url, key["key"])


def close_order(api, **fields):
    """An order that has ended, so that everybody is told."""
    order = api.create_order(**fields)
    api.close(order["id"])
    return order


def deliveries_after(api, order, attempts, timeout=15):
    """The order's deliveries, once that many attempts have been made for each, or it is through."""

    def made():
        found = api.all("/v1/webhook_deliveries", order=order["id"])
        enough = all(each["attempts"] >= attempts or each["state"] != "pending" for each in found)
        return found if found and enough else None

    return until(made, f"the deliveries of {order['id']} have been tried", timeout)
