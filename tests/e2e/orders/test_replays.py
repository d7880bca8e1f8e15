"""What a repeated request returns, and to whom. Headers that are the same for all requests with a key."""

import contextlib
import http.client
import json
import urllib.parse
import uuid

import pytest

from api import Api, order_body


@pytest.fixture(scope="module")
def merchant(new_shop):
    return new_shop()


def is_replay(response):
    return response.headers.get("Idempotent-Replayed") == "true"


@pytest.mark.parametrize("path, body", [("/v1/orders", None),
                                        ("/v1/webhook_endpoints", {"url": "https://shop.example/replayed"})])
def test_a_key_without_the_right_gets_no_replay(contract, server, admin, merchant, path, body):
    """The scope of an Idempotency-Key is the merchant, so a viewer's key can repeat the request of the merchant."""
    made = admin.post("/v1/api_keys", {"role": "viewer", "name": "night shift"}, expect=201)
    viewer = Api(contract, server.demo["base_url"], made["key"], merchant.id)
    key, body = str(uuid.uuid4()), body or order_body()
    headers = {"Idempotency-Key": key}
    first = merchant.api.request("POST", path, json=body, headers=headers)
    assert first.status_code == 201
    refused_replay = viewer.request("POST", path, json=body, headers=headers)
    assert refused_replay.status_code == 403 and refused_replay.json()["code"] == "forbidden"
    assert not is_replay(refused_replay) and first.json()["id"] not in refused_replay.text
    again = merchant.api.request("POST", path, json=body, headers=headers)
    assert again.status_code == 201 and is_replay(again) and again.json()["id"] == first.json()["id"]


def test_a_replay_contains_no_secret(admin, merchant):
    def twice(api, path, body, status):
        headers = {"Idempotency-Key": str(uuid.uuid4())}
        first, again = (api.request("POST", path, json=body, headers=headers) for _ in range(2))
        assert first.status_code == again.status_code == status
        assert not is_replay(first) and is_replay(again)
        return first.json(), again.json()

    def check(first, again, secret):
        assert first.pop(secret) and first == again

    made, again = twice(merchant.api, "/v1/webhook_endpoints", {"url": "https://shop.example/secret"}, 201)
    path = f"/v1/webhook_endpoints/{made['id']}/rotate"
    check(made, again, "secret")
    check(*twice(merchant.api, path, None, 200), "secret")
    check(*twice(admin, "/v1/merchants", {"name": "Replayed"}, 201), "webhook_secret")
    check(*twice(admin, "/v1/api_keys", {"merchant": merchant.id, "name": "replayed"}, 201), "key")


def test_responses_of_the_api_are_not_cached(merchant):
    order = merchant.api.create_order()
    for path in [f"/v1/orders/{order['id']}", "/v1/orders/ord_0000000000001", "/v1/nothing"]:
        assert merchant.api.request("GET", path).headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("name", ["Authorization", "Finality-Merchant"])
def test_a_repeated_header_is_refused(server, merchant, name):
    value = {"Authorization": merchant.api.headers["Authorization"], "Finality-Merchant": merchant.id}[name]
    address = urllib.parse.urlsplit(server.demo["base_url"])
    with contextlib.closing(http.client.HTTPConnection(address.hostname, address.port, timeout=20)) as connection:
        connection.putrequest("GET", "/v1/orders")
        if name != "Authorization":
            connection.putheader("Authorization", merchant.api.headers["Authorization"])
        for _ in range(2):
            connection.putheader(name, value)
        connection.endheaders()
        response = connection.getresponse()
        body = response.read().decode()
    assert response.status == 400 and name in json.loads(body)["detail"], body
