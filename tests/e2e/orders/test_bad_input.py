"""Every invalid request is refused with the documented status and code, and changes nothing."""

import concurrent.futures
import json
import uuid

import pytest

from api import Api, order_body
from crash_checks import settled

MIB = 1 << 20
LONG_URL = "https://shop.example/" + "x" * 2048

WRONG_FIELDS = [
    ("merchant_order_no", ["", "x" * 65, 5, None, [], {}, True, "a\u0000b", "a\nb", "\u007f"]),
    ("amount", ["100", "", 0, -1, 10**15 + 1, 2**63, 10**30, -10**30, 19.99, None, True, [], {}]),
    ("currency", ["", "cny", "CN", "CNYX", "XXX", "ZZZ", 156, None, [], "元"]),
    ("subject", ["", "x" * 257, "茶" * 257, 5, None, {}, "a\u0000b", "\u001b[31m"]),
    ("expires_in", [0, -1, 2_592_001, "60", 1.5, None, True, 10**30]),
    ("attempts", [0, -1, 101, "1", 1.5, None, False]),
    ("close_policy", ["", "never", "ASK", 1, None]),
    ("capture_method", ["", "authorized", 1, None]),
    ("capture_within", [0, -1, 60, "60", 2_592_001, None]),  # 60 without capture_method: automatic
    ("on_capture_deadline", ["", "release", "keep", 1, None]),
    ("notify_url", ["", "shop.example", "ftp://shop.example/", "https://", "javascript:alert(1)", LONG_URL, 5, None,
                    "https://a b/", "https://shop.example/\n", "http://shop.example/"]),
    ("return_url", ["", "/back", "data:text/html,x", LONG_URL, 5, None]),
    ("metadata", ["x", [], 5, None, {"a": 1}, {"a": None}, {"a": {}}, {"": "x"}, {"k" * 41: "x"}, {"a": "x" * 501},
                  {str(number): "x" for number in range(51)}]),
    ("payment", ["sandbox", [], 5, None, {}]),
    ("colour", ["red", None, {}]),
]

WRONG_PAYMENT_FIELDS = [
    ("channel", ["", "nowhere", "SANDBOX", "x" * 65, 5, None, []]),
    ("method", ["", "nothing", 5, None, "x" * 65]),
    ("merchant_payment_no", ["", "x" * 65, 5, None, "a\u0000b"]),
    ("payer", ["x", [], 5, None]),
    ("scenario", ["", 5, None, "x" * 65, "payz", "PAYS", "pays "]),
    ("colour", ["red"]),
]

WRONG_PAYER_FIELDS = [
    ("client_ip", ["", "localhost", "1.2.3", "1.2.3.4.5", 5, None]),
    ("openid", ["", 5, None, "x" * 1000]),
    ("auth_code", ["", 5, None, "x" * 1000]),
    ("colour", ["red"]),
]


def cases_of(table):
    return [pytest.param(field, value, id=f"{field}-{index}") for field, values in table
            for index, value in enumerate(values)]


@pytest.fixture(scope="module")
def other(new_shop):
    return new_shop()


@pytest.fixture(scope="module")
def order(shop):
    """Creates the only order of the shop."""
    return shop.api.create_order()


@pytest.fixture(scope="module", autouse=True)
def nothing_was_done(shop, order):
    """Checks after all tests that the shop's orders, webhook endpoints and events are unchanged."""
    orders, endpoints = shop.api.all("/v1/orders"), shop.api.all("/v1/webhook_endpoints")
    events = shop.api.all("/v1/events", object=order["id"])
    yield
    assert shop.api.all("/v1/orders") == orders
    assert shop.api.all("/v1/webhook_endpoints") == endpoints
    assert shop.api.all("/v1/events", object=order["id"]) == events
    assert shop.api.all("/v1/webhook_deliveries") == []


def refused(response, param=None):
    assert response.status_code == 400, response.text
    problem = response.json()
    if param is not None:
        named = problem.get("param", "")
        assert named == param or named.startswith(param + "."), problem
        assert param.rsplit(".", 1)[-1] in problem["detail"], problem
    return problem


def post_raw(shop, body, path="/v1/orders"):
    return shop.api.request("POST", path, data=body, headers={"Content-Type": "application/json"})


# Tests of invalid body fields.


@pytest.mark.parametrize("field, value", cases_of(WRONG_FIELDS))
def test_a_wrong_field_of_an_order(shop, field, value):
    body = order_body() | {field: value}
    refused(shop.api.request("POST", "/v1/orders", json=body), field)


@pytest.mark.parametrize("field", ["merchant_order_no", "amount", "currency", "subject"])
def test_a_missing_field_of_an_order(shop, field):
    body = order_body()
    del body[field]
    refused(shop.api.request("POST", "/v1/orders", json=body), field)


@pytest.mark.parametrize("field, value", cases_of(WRONG_PAYMENT_FIELDS))
def test_a_wrong_field_of_a_payment(shop, order, field, value):
    payment = {"channel": "sandbox"} | {field: value}
    refused(shop.api.request("POST", f"/v1/orders/{order['id']}/payments", json=payment), field)
    refused(shop.api.request("POST", "/v1/orders", json=order_body(payment=payment)), f"payment.{field}")


@pytest.mark.parametrize("field, value", cases_of(WRONG_PAYER_FIELDS))
def test_a_wrong_field_of_a_payer(shop, field, value):
    payment = {"channel": "sandbox", "payer": {field: value}}
    refused(shop.api.request("POST", "/v1/orders", json=order_body(payment=payment)), f"payment.payer.{field}")


def test_a_payment_without_a_channel(shop, order):
    refused(shop.api.request("POST", f"/v1/orders/{order['id']}/payments", json={}), "channel")
    refused(shop.api.request("POST", "/v1/orders", json=order_body(payment={"scenario": "pays"})), "payment.channel")


@pytest.mark.parametrize("amount", [b"100.0", b"1e3", b"1E2", b"1.999e3", b"0100", b"+100", b"0x64", b"-0", b"NaN"])
def test_an_amount_that_is_not_written_as_an_integer(shop, amount):
    body = json.dumps(order_body(amount=0)).encode().replace(b'"amount": 0', b'"amount": ' + amount)
    refused(post_raw(shop, body))


@pytest.mark.parametrize("field, value", cases_of([
    ("url", ["", "shop.example", "ftp://shop.example/", "http://shop.example/", LONG_URL, 5, None]),
    ("types", ["order.succeeded", [], [5], [""], ["order.paid"], ["order.closed"] * 2, None, {}]),
    ("acknowledge", ["", "yes", 5, None]),
    ("secret", ["whsec_AAAA"]),
]))
def test_a_wrong_field_of_a_webhook_endpoint(shop, field, value):
    body = {"url": "https://shop.example/webhooks"} | {field: value}
    refused(shop.api.request("POST", "/v1/webhook_endpoints", json=body), field)


@pytest.mark.parametrize("body, param", [({}, "name"), ({"name": ""}, "name"), ({"name": 5}, "name"),
                                         ({"name": "x" * 300}, "name"), ({"name": "x", "colour": "red"}, "colour")])
def test_a_wrong_field_of_a_merchant(admin, body, param):
    refused(admin.request("POST", "/v1/merchants", json=body), param)


@pytest.mark.parametrize("body, param", [
    ({"name": "x", "role": "merchant"}, "role"), ({"name": "x", "role": "king"}, "role"),
    ({"name": "x", "role": 5}, "role"), ({"name": "x", "merchant": "ord_0000000000001"}, "merchant"),
    ({"name": "x", "merchant": 5}, "merchant"), ({"role": "viewer"}, "name"), ({"name": "x"}, "role"),
    ({"name": "x", "role": "viewer", "merchant": "mer_0000000000001"}, "role")])
def test_a_wrong_field_of_a_key(admin, body, param):
    refused(admin.request("POST", "/v1/api_keys", json=body), param)


# Tests of malformed JSON.

VALID = json.dumps(order_body()).encode()
NOT_JSON = {
    "nothing": b"", "space": b"  ", "a word": b"hello", "cut off": VALID[:-1], "twice": VALID + VALID,
    "an array": b"[" + VALID + b"]", "a string": b'"x"', "null": b"null", "a number": b"5",
    "a comment": b"/* x */" + VALID, "a trailing comma": VALID[:-1] + b",}", "single quotes": VALID.replace(b'"', b"'"),
    "a byte order mark": b"\xef\xbb\xbf" + VALID, "UTF-16": VALID.decode().encode("utf-16"),
    "invalid UTF-8": VALID.replace(b"Two", b"\xff\xfe"), "overlong UTF-8": VALID.replace(b"Two", b"\xc0\xaf"),
    "a surrogate in UTF-8": VALID.replace(b"Two", b"\xed\xa0\x80"),
    "half a surrogate": VALID.replace(b"Two", b"\\ud800"),
    "a raw control character": VALID.replace(b"Two", b"\x01"), "a raw NUL": VALID.replace(b"Two", b"\x00"),
    "a bad escape": VALID.replace(b"Two", b"\\x41"), "Infinity": VALID.replace(b"1999", b"Infinity"),
}


@pytest.mark.parametrize("what", NOT_JSON)
def test_a_body_that_is_not_a_json_object(shop, what):
    refused(post_raw(shop, NOT_JSON[what]))


@pytest.mark.parametrize("body, param", [
    (VALID[:-1] + b', "amount": 5}', "amount"),
    (VALID[:-1] + b', "am\\u006funt": 5}', "amount"),
    (VALID[:-1] + b', "payment": {"channel": "sandbox", "channel": "sandbox2"}}', "payment.channel"),
    (VALID[:-1] + b', "metadata": {"a": "1", "a": "1"}}', "metadata.a"),
], ids=["amount", "amount, escaped", "payment.channel", "metadata"])
def test_a_duplicate_name(shop, body, param):
    refused(post_raw(shop, body), param)


@pytest.mark.parametrize("opening, closing", [(b"[", b"]"), (b'{"a":', b"}")])
def test_a_body_that_is_nested_too_deeply(shop, opening, closing):
    depth = 33
    inner = opening * (depth - 1) + (b"1" if opening != b"[" else b"") + closing * (depth - 1)
    problem = refused(post_raw(shop, VALID[:-1] + b', "metadata": ' + inner + b"}"))
    assert "32" in problem["detail"] and "param" not in problem
    refused(post_raw(shop, opening * 100_000))


def test_an_unexpected_body(shop, order):
    path = f"/v1/orders/{order['id']}/close"
    refused(post_raw(shop, b'{"why": "because"}', path), "why")
    refused(post_raw(shop, b"{", path))


# Tests of body size, path and method.


@pytest.mark.parametrize("path", ["/v1/orders", "/v1/nothing", "/notify/sandbox"])
def test_a_body_that_is_too_large(shop, path):
    body = VALID[:-1] + b', "colour": "' + b"x" * (2 * MIB) + b'"}'
    assert post_raw(shop, body, path).status_code == 413


def test_a_chunked_body_that_is_too_large(shop):
    assert post_raw(shop, (b"x" * 65536 for _ in range(32))).status_code == 413


def test_headers_that_are_too_large(shop):
    assert shop.api.request("GET", "/v1/orders", headers={"X-Colour": "x" * 20_000}).status_code == 431
    many = {f"X-Colour-{number}": "x" * 100 for number in range(200)}
    assert shop.api.request("GET", "/v1/orders", headers=many).status_code == 431
    assert shop.api.request("GET", "/v1/orders?colour=" + "x" * 20_000).status_code == 431


@pytest.mark.parametrize("path", ["/", "/v1", "/v1/nothing", "/v2/orders", "/v1/orders/x/y/z", "/v1/order",
                                  "//v1/orders", "/v1/orders%2f", "/notify", "/healthz/x", "/v1/%00"])
def test_an_unknown_path(shop, path):
    for method in ["GET", "POST", "DELETE"]:
        assert shop.api.request(method, path).status_code == 404


@pytest.mark.parametrize("method, path", [
    ("PUT", "/v1/orders"), ("DELETE", "/v1/orders"), ("PATCH", "/v1/orders/{id}"), ("POST", "/v1/orders/{id}"),
    ("GET", "/v1/orders/{id}/close"), ("GET", "/v1/orders/{id}/payments"), ("POST", "/v1/orders/{id}/timeline"),
    ("POST", "/v1/events"), ("PUT", "/v1/webhook_endpoints/x"), ("GET", "/v1/webhook_deliveries/x/resend"),
    ("GET", "/v1/merchants"), ("GET", "/v1/api_keys"), ("POST", "/healthz"), ("DELETE", "/metrics"),
    ("POST", "/openapi.json"), ("BREW", "/v1/orders")])
def test_a_method_that_the_path_does_not_support(shop, order, method, path):
    assert shop.api.request(method, path.format(id=order["id"])).status_code == 405


# Tests of API keys and roles.


@pytest.mark.parametrize("header", [None, "", "Bearer", "Bearer ", "Bearer sk_unknown", "Bearer op_unknown",
                                    "sk_unknown", "Bearer sk_" + "x" * 5000, "Basic c2s6", "Bearer a b",
                                    "Bearer {key}x", "Basic {key}", "{key}"])
def test_an_invalid_api_key(contract, server, shop, header):
    anonymous = Api(contract, server.demo["base_url"])
    key = shop.api.headers["Authorization"].removeprefix("Bearer ")
    headers = {} if header is None else {"Authorization": header.format(key=key)}
    assert anonymous.request("GET", "/v1/orders", headers=headers).status_code == 401
    assert anonymous.request("POST", "/v1/orders", json={"colour": "red"}, headers=headers).status_code == 401


def test_a_viewer_can_read_and_cannot_write(contract, server, admin, shop, order):
    made = admin.post("/v1/api_keys", {"role": "viewer", "name": "night shift"}, expect=201)
    assert made["role"] == "viewer" and "merchant" not in made
    viewer = Api(contract, server.demo["base_url"], made["key"], shop.id)
    assert viewer.order(order["id"]) == order
    assert viewer.create_order(expect=403)["code"] == "forbidden"
    viewer.close(order["id"], expect=403)
    viewer.create_payment(order["id"], expect=403)
    viewer.post("/v1/webhook_endpoints", {"url": "https://shop.example/"}, expect=403)
    viewer.post("/v1/merchants", {"name": "mine"}, expect=403)
    viewer.create_order(amount=-1, expect=400)  # the body is checked before the role

    admin.delete(f"/v1/api_keys/{made['id']}")
    assert viewer.request("GET", "/v1/orders").status_code == 401
    admin.delete(f"/v1/api_keys/{made['id']}", expect=404)


def test_an_operator_names_the_merchant(contract, server, order):
    base, key = server.demo["base_url"], server.demo["operators"]["operator"]
    refused(Api(contract, base, key).request("GET", f"/v1/orders/{order['id']}"), "Finality-Merchant")
    Api(contract, base, key, "mer_0000000000002").get(f"/v1/orders/{order['id']}", expect=404)
    Api(contract, base, key, "unknown").get(f"/v1/orders/{order['id']}", expect=404)


@pytest.mark.parametrize("role", ["operator", "approver", "merchant"])
def test_only_an_admin_makes_merchants_and_keys(contract, server, shop, role):
    operators = server.demo["operators"]
    key = server.demo["secret_key"] if role == "merchant" else operators[role]
    api = Api(contract, server.demo["base_url"], key)
    assert api.post("/v1/merchants", {"name": "mine"}, expect=403)["code"] == "forbidden"
    api.post("/v1/api_keys", {"role": "admin", "name": "mine"}, expect=403)
    api.post("/v1/api_keys", {"merchant": shop.id, "name": "mine"}, expect=403)
    api.delete("/v1/api_keys/key_0000000000001", expect=403)


# Tests of ids of other merchants' objects and of unknown ids.


def test_another_merchants_objects_are_not_found(other, shop, merchant_server):
    hidden = f"/{other.id}/hidden"
    endpoint = other.api.post("/v1/webhook_endpoints", {"url": merchant_server.address(hidden)}, expect=201)
    merchant_server.set_secret(hidden, endpoint["secret"])
    theirs = other.api.create_order(payment={"channel": "sandbox", "scenario": "manual"})
    payment = theirs["payments"][0]
    other.api.close(theirs["id"])
    other.received.wait_for(hidden, theirs["id"])
    [delivery] = other.api.all("/v1/webhook_deliveries", order=theirs["id"])
    before = settled(other.api.order(theirs["id"]))

    for path in [f"/v1/orders/{theirs['id']}", f"/v1/orders/{theirs['id']}/timeline", f"/v1/payments/{payment['id']}",
                 f"/v1/events?object={theirs['id']}", f"/v1/events?object={payment['id']}",
                 f"/v1/webhook_endpoints/{endpoint['id']}", f"/v1/webhook_deliveries/{delivery['id']}"]:
        assert shop.api.get(path, expect=404)["code"] == "not_found"
    shop.api.close(theirs["id"], expect=404)
    shop.api.create_payment(theirs["id"], expect=404)
    shop.api.post(f"/v1/payments/{payment['id']}/query", expect=404)
    shop.api.post(f"/v1/webhook_endpoints/{endpoint['id']}/rotate", expect=404)
    shop.api.delete(f"/v1/webhook_endpoints/{endpoint['id']}", expect=404)
    shop.api.post(f"/v1/webhook_deliveries/{delivery['id']}/resend", expect=404)
    assert settled(other.api.order(theirs["id"])) == before


@pytest.mark.parametrize("wrong", ["ord_0000000000001", "ord_", "ord_zzz", "ord_00000000000010", "pay_0000000000001",
                                   "1", "ORD_0000000000001", "ord_%00", "ord_iiiiiiiiiiiii", "'", "%F0%9F%92%B8"])
def test_an_unknown_id(shop, wrong):
    shop.api.get(f"/v1/orders/{wrong}", expect=404)
    shop.api.get(f"/v1/orders/{wrong}/timeline", expect=404)
    shop.api.create_payment(wrong, expect=404)
    shop.api.close(wrong, expect=404)
    for kind in ["payments", "webhook_endpoints", "webhook_deliveries"]:
        action = {"payments": "query", "webhook_endpoints": "rotate", "webhook_deliveries": "resend"}[kind]
        shop.api.get(f"/v1/{kind}/{wrong}", expect=404)
        shop.api.post(f"/v1/{kind}/{wrong}/{action}", expect=404)


def test_a_key_for_a_merchant_that_does_not_exist(admin):
    body = {"merchant": "mer_0000000000002", "name": "unknown"}
    assert admin.post("/v1/api_keys", body, expect=404)["code"] == "not_found"
    admin.get("/v1/merchants/mer_0000000000002", expect=404)


# Tests of query parameters.


@pytest.mark.parametrize("path", ["/v1/orders", "/v1/webhook_endpoints", "/v1/webhook_deliveries",
                                  "/v1/events?object={id}"])
@pytest.mark.parametrize("query, param", [
    ("limit=0", "limit"), ("limit=101", "limit"), ("limit=-1", "limit"), ("limit=x", "limit"), ("limit=", "limit"),
    ("limit=1.5", "limit"), ("limit=99999999999999999999", "limit"), ("limit=5&limit=6", "limit"),
    ("starting_after=x", "starting_after"), ("starting_after=", "starting_after"),
    ("ending_before=mer_1", "ending_before"), ("colour=red", "colour"), ("%ff=1", None), ("limit=%zz", None)])
def test_a_wrong_parameter_of_a_list(shop, order, path, query, param):
    path = path.format(id=order["id"])
    refused(shop.api.request("GET", path + ("&" if "?" in path else "?") + query), param)


@pytest.mark.parametrize("method, path", [
    ("POST", "/v1/orders"), ("POST", "/v1/orders/{id}/close"), ("POST", "/v1/webhook_endpoints"),
    ("PUT", "/v1/prices/tea"), ("DELETE", "/v1/webhook_endpoints/whe_0000000000001"), ("GET", "/v1/orders/{id}")])
def test_a_parameter_of_a_path_without_parameters(shop, order, method, path):
    refused(shop.api.request(method, path.format(id=order["id"]) + "?colour=red"), "colour")


@pytest.mark.parametrize("path, param", [
    ("/v1/orders?state=paid", "state"), ("/v1/orders?state=", "state"),
    ("/v1/orders?created_from=yesterday", "created_from"), ("/v1/orders?created_to=1700000000", "created_to"),
    ("/v1/orders?created_to=2026-13-01T00:00:00Z", "created_to"),
    ("/v1/orders?created_from=2026-01-02T00:00:00Z&created_to=2026-01-01T00:00:00Z", "created_from"),
    ("/v1/orders?merchant_order_no=", "merchant_order_no"),
    ("/v1/orders?merchant_order_no=" + "x" * 65, "merchant_order_no"),
    ("/v1/refunds?order=ord_0000000000001&starting_after=cap_0000000000001", "starting_after"),
    ("/v1/events", "object"), ("/v1/events?object=", "object"), ("/v1/events?object=x", "object"),
    ("/v1/webhook_deliveries?order=x", "order"), ("/v1/webhook_deliveries?order=pay_0000000000001", "order")])
def test_a_wrong_filter(shop, path, param):
    refused(shop.api.request("GET", path), param)


def test_both_directions_in_one_request(shop, order):
    query = f"starting_after={order['id']}&ending_before={order['id']}"
    refused(shop.api.request("GET", f"/v1/orders?{query}"))


@pytest.mark.parametrize("limit", ["0", "1001", "x"])
def test_a_wrong_limit_of_a_timeline(shop, order, limit):
    refused(shop.api.request("GET", f"/v1/orders/{order['id']}/timeline?limit={limit}"), "limit")


@pytest.mark.parametrize("item", ["", "x", "tli_", "tli_0", "ord_0000000000001", "tli_" + "z" * 28])
@pytest.mark.parametrize("param", ["starting_after", "ending_before"])
def test_a_wrong_item_of_a_timeline(shop, order, param, item):
    refused(shop.api.request("GET", f"/v1/orders/{order['id']}/timeline?{param}={item}"), param)


def test_both_directions_of_a_timeline_in_one_request(shop, order):
    item = shop.api.timeline(order["id"])[0]["id"]
    query = f"starting_after={item}&ending_before={item}"
    refused(shop.api.request("GET", f"/v1/orders/{order['id']}/timeline?{query}"), "ending_before")


def test_a_checkout_link_with_a_wrong_signature(shop, order):
    token = order["checkout_url"].rsplit("/", 1)[1]
    assert shop.api.request("GET", f"/checkout/{token}").status_code == 200
    for wrong in [token[:-1] + ("1" if token[-1] == "0" else "0"), token[:13], token + "0", token[:13] + "0" * 32]:
        assert shop.api.request("GET", f"/checkout/{wrong}").status_code == 404, wrong


# Tests of idempotency. They create orders, so they use another merchant.


@pytest.fixture(scope="module")
def careful(new_shop):
    return new_shop()


def post_with_key(shop, key, body, path="/v1/orders"):
    return shop.api.request("POST", path, json=body, headers={"Idempotency-Key": key})


def is_replay(response):
    return response.headers.get("Idempotent-Replayed") == "true"


def test_the_same_request_gets_the_same_answer(careful):
    key, body = str(uuid.uuid4()), order_body()
    first = post_with_key(careful, key, body)
    assert first.status_code == 201 and not is_replay(first)
    careful.api.close(first.json()["id"])
    again = post_with_key(careful, key, body)
    assert (again.status_code, again.content) == (201, first.content) and is_replay(again)
    assert again.headers["Request-Id"] != first.headers["Request-Id"]


def test_another_body_under_the_same_key(careful):
    key, body = str(uuid.uuid4()), order_body()
    first = post_with_key(careful, key, body)
    other_body = order_body()
    response = post_with_key(careful, key, other_body)
    assert response.status_code == 422 and response.json()["code"] == "idempotency_key_reused"
    found = careful.api.get("/v1/orders", params={"merchant_order_no": other_body["merchant_order_no"]})
    assert found["data"] == []
    assert is_replay(post_with_key(careful, key, body)) and first.status_code == 201


def test_a_quoted_key_is_the_same_key(careful):
    key, body = str(uuid.uuid4()), order_body()
    first = post_with_key(careful, f'"{key}"', body)
    again = post_with_key(careful, key, body)
    assert is_replay(again) and again.content == first.content


def test_a_business_refusal_is_replayed(careful):
    body = order_body()
    order = careful.api.post("/v1/orders", body, expect=201)
    key = str(uuid.uuid4())
    first = post_with_key(careful, key, body | {"amount": 5})
    again = post_with_key(careful, key, body | {"amount": 5})
    assert first.status_code == again.status_code == 409 and is_replay(again) and not is_replay(first)
    assert first.content == again.content
    careful.api.close(order["id"])
    key, path = str(uuid.uuid4()), f"/v1/orders/{order['id']}/payments"
    first = post_with_key(careful, key, {"channel": "sandbox"}, path)
    again = post_with_key(careful, key, {"channel": "sandbox"}, path)
    assert first.status_code == again.status_code == 409 and is_replay(again)


def test_an_invalid_request_is_not_stored(careful):
    key = str(uuid.uuid4())
    assert post_with_key(careful, key, order_body(amount=-1)).status_code == 400
    made = post_with_key(careful, key, order_body())
    assert made.status_code == 201 and not is_replay(made)


def test_a_key_is_unique_per_path_and_merchant(careful, other):
    key, body = str(uuid.uuid4()), order_body()
    order = post_with_key(careful, key, body).json()
    path = f"/v1/orders/{order['id']}/payments"
    payment = post_with_key(careful, key, {"channel": "sandbox", "scenario": "manual"}, path)
    assert payment.status_code == 201 and not is_replay(payment)
    theirs = post_with_key(other, key, body)
    assert theirs.status_code == 201 and not is_replay(theirs) and theirs.json()["id"] != order["id"]


def test_a_payment_is_started_once_under_one_key(careful):
    order = careful.api.create_order()
    key, path = str(uuid.uuid4()), f"/v1/orders/{order['id']}/payments"
    first = post_with_key(careful, key, {"channel": "sandbox", "scenario": "manual"}, path)
    again = post_with_key(careful, key, {"channel": "sandbox", "scenario": "manual"}, path)
    assert first.status_code == again.status_code == 201 and is_replay(again)
    assert again.json()["id"] == first.json()["id"]
    assert len(careful.api.order(order["id"])["payments"]) == 1


def test_many_clients_with_one_key(careful):
    key, body = str(uuid.uuid4()), order_body()
    with concurrent.futures.ThreadPoolExecutor(8) as clients:
        responses = list(clients.map(lambda _: post_with_key(careful, key, body), range(24)))
    made = [response for response in responses if response.status_code == 201]
    busy = [response for response in responses if response.status_code == 409]
    assert len(made) + len(busy) == len(responses) and len({response.json()["id"] for response in made}) == 1
    assert sum(not is_replay(response) for response in made) <= 1
    assert all(response.json()["code"] == "idempotency_key_in_use" for response in busy)


@pytest.mark.parametrize("key", ["k" * 256, '"' + "k" * 256 + '"', '""', '"open', "clé".encode("latin-1"), "a\tb"])
def test_an_invalid_idempotency_key(shop, key):
    response = post_with_key(shop, key, order_body())
    refused(response, "Idempotency-Key")


# Tests of the smallest and largest valid values.


def test_the_limits_themselves_are_allowed(new_shop):
    shop = new_shop()
    body = order_body(
        merchant_order_no="号" * 64, subject="茶" * 256, amount=10**15, expires_in=2_592_000, attempts=100,
        metadata={f"{number:040}": "x" * 500 for number in range(50)},
        notify_url="https://shop.example/" + "x" * (2048 - len("https://shop.example/")))
    order = shop.api.post("/v1/orders", body, expect=201)
    assert {name: order[name] for name in body if name in order} == {
        name: value for name, value in body.items() if name in order}
    assert shop.api.get("/v1/orders", params={"merchant_order_no": "号" * 64})["data"] == [order]
    for currency in ["JPY", "KWD", "CNY"]:
        assert shop.api.create_order(currency=currency, amount=1)["amount"] == 1
    shop.api.create_order(metadata={"empty": "", "emoji": "💸", "quote": '"\\'})
    key = "k" * 255
    assert post_with_key(shop, key, order_body()).status_code == 201
