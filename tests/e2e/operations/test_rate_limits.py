"""Rate limits of the API: a client above a limit gets 429 with Retry-After, and others are served."""

import re
import uuid

import pytest

from api import Api, order_body
from finality_server import serving
from merchant_fixtures import new_merchant
from wait import until

LIMITS = """
[rate_limits]
merchant_writes = 1
failed_authentications = 1
"""


@pytest.fixture(scope="module")
def limited(tmp_path_factory):
    """A server that allows each merchant one write per second, and each address one failed authentication."""
    with serving(tmp_path_factory.mktemp("limited"), LIMITS) as server:
        yield server


def exhaust(ask):
    """Sends requests until one is refused with 429. Returns its response."""

    def refused():
        response = ask()
        return [response] if response.status_code == 429 else []

    [response] = until(refused, "a request above the limit is refused")
    return response


def check_refused(response, setting):
    assert response.json()["code"] == "rate_limited" and int(response.headers["Retry-After"]) == 1
    assert setting in response.json()["detail"], response.text


def test_a_merchant_above_its_limit_waits_and_others_are_served(contract, limited):
    busy, quiet = new_merchant(contract, limited), new_merchant(contract, limited)
    asked = []

    def create():
        asked.append({"json": order_body(), "headers": {"Idempotency-Key": str(uuid.uuid4())}})
        return busy.request("POST", "/v1/orders", **asked[-1])

    refused = exhaust(create)
    check_refused(refused, "rate_limits.merchant_writes")
    quiet.create_order()
    assert busy.get("/v1/orders")["data"], "reads have another limit"

    # The refusal was not stored: the same request is executed as soon as the bucket has a token again.
    def again():
        response = busy.request("POST", "/v1/orders", **asked[-1])
        return [response] if response.status_code != 429 else []

    [made] = until(again, "the request is accepted")
    assert made.status_code == 201 and "Idempotent-Replayed" not in made.headers, made.text


def test_wrong_keys_are_limited_and_valid_keys_of_the_same_address_are_not(contract, limited):
    valid = new_merchant(contract, limited)
    valid.get("/v1/orders")
    wrong = Api(contract, limited.base_url, "sk_wrong")
    check_refused(exhaust(lambda: wrong.request("GET", "/v1/orders")), "rate_limits.failed_authentications")
    valid.get("/v1/orders")


def test_the_metric_counts_refusals_by_limit(contract, limited):
    text = Api(contract, limited.base_url).request("GET", "/metrics").text
    counts = dict(re.findall(r'^finality_rate_limited_total\{limit="(\w+)"\} (\d+)$', text, re.MULTILINE))
    assert len(counts) == 11 and int(counts["merchant_writes"]) > 0 and int(counts["failed_authentications"]) > 0, counts
    assert counts["notifications"] == "0"


PROXY = """
trusted_proxies = ["127.0.0.1"]
[rate_limits]
address_reads = 1
"""


@pytest.fixture(scope="module")
def proxied(tmp_path_factory):
    """A server behind a trusted proxy, this process. It allows each client address one read per second."""
    with serving(tmp_path_factory.mktemp("proxied"), PROXY) as server:
        yield server


def test_a_trusted_proxy_counts_as_the_client_unless_it_names_one(contract, proxied):
    """A request with both fields can hide its client, so it is no way around the limit."""
    api = Api(contract, proxied.base_url)
    for headers in ({}, {"Forwarded": "for=203.0.113.1", "X-Forwarded-For": "203.0.113.2"}):
        check_refused(exhaust(lambda: api.request("GET", "/docs", headers=headers)), "rate_limits.address_reads")
    for last in range(10):
        named = api.request("GET", "/docs", headers={"X-Forwarded-For": f"203.0.113.{last}"})
        assert named.status_code == 200, named.text
