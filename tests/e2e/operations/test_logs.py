"""The log: logfmt by default, JSON and access log if configured. The log never contains the secret link of a payer's
page."""

import datetime
import json
import re

import pytest
import requests

from api import Api, order_body
from finality_server import serving
from wait import until

LINE = re.compile(r'time=(\S+) level=(debug|info|warning|error) msg=("(?:[^"\\]|\\.)*"|\S+)((?: \w+=(?:"(?:[^"\\]|\\.)*"|[^\s"]+))*)')


def lines_of(server):
    return server.log.read_text(encoding="utf-8").splitlines()


@pytest.fixture(scope="module")
def logged(tmp_path_factory, contract):
    """Yields a server that writes a JSON log with an access log, a merchant, and an API client of this merchant."""
    settings = '[log]\nformat = "json"\naccess = true\nlevel = "debug"\n'
    with serving(tmp_path_factory.mktemp("logged"), settings) as server:
        admin = Api(contract, server.base_url, server.admin_key)
        merchant = admin.post("/v1/merchants", {"name": "Log shop"}, expect=201)
        key = admin.post("/v1/api_keys", {"merchant": merchant["id"], "name": "till"}, expect=201)
        yield server, merchant, Api(contract, server.base_url, key["key"])


def access_line(server, request_id):
    def found():
        return [line for line in map(json.loads, lines_of(server)) if line.get("request_id") == request_id
                and line["msg"] == "request"]

    [line] = until(found, "the request is logged")
    return line


def test_every_line_is_json_with_a_time_and_a_level(logged):
    server, _, api = logged
    api.get("/v1/orders")
    for line in map(json.loads, lines_of(server)):
        assert datetime.datetime.fromisoformat(line["time"]).tzinfo is not None
        assert line["level"] in ("debug", "info", "warning", "error") and line["msg"]


def test_the_start_names_version_store_and_channels(logged):
    server, _, _ = logged
    [line] = [line for line in map(json.loads, lines_of(server)) if line["msg"] == "server started"]
    assert line["version"] and line["store"].startswith(("sqlite:", "postgres")) and line["url"] == server.base_url
    assert line["channels"] == ""


def test_the_access_log_has_the_request_id_of_the_response(logged):
    server, merchant, api = logged
    response = api.request("GET", "/v1/orders?limit=1")
    line = access_line(server, response.headers["Request-Id"])
    assert (line["method"], line["path"], line["status"], line["merchant"]) == ("GET", "/v1/orders", 200, merchant["id"])
    assert line["duration_us"] >= 0 and line["peer"] == "127.0.0.1" and line["key"].startswith("key_")
    refused = api.request("GET", "/v1/orders?limit=0")
    assert access_line(server, refused.headers["Request-Id"])["status"] == 400


def test_the_access_log_does_not_contain_a_payers_link(logged):
    server, _, api = logged
    order = api.post("/v1/orders", order_body(), expect=201)
    path = order["checkout_url"].removeprefix(server.base_url)
    response = api.request("GET", path)
    assert access_line(server, response.headers["Request-Id"])["path"] == "/checkout/{token}"
    for method, variant in [("POST", path), ("GET", path + "/"), ("GET", path + "/x"), ("GET", "/" + path)]:
        requests.request(method, server.base_url + variant, timeout=5, proxies={"http": None})
    assert path.removeprefix("/checkout/") not in server.log.read_text(encoding="utf-8")


def test_lines_are_logfmt_by_default(tmp_path):
    with serving(tmp_path / "plain") as server:
        lines = lines_of(server)
    assert lines and all(LINE.fullmatch(line) for line in lines), lines
    assert not any("msg=request " in line for line in lines), "the access log is off"


def test_a_failed_delivery_is_one_line(start_server, contract):
    server = start_server("failing webhooks")
    api = Api(contract, server.demo["base_url"], server.demo["secret_key"])
    api.post("/v1/orders", order_body(notify_url="http://127.0.0.1:1/hook?token=hidden",
                                      payment={"channel": "sandbox", "scenario": "pays"}), expect=201)
    [line] = until(lambda: [line for line in lines_of(server) if 'msg="webhook delivery failed"' in line],
                   "the failed delivery is logged")
    assert LINE.fullmatch(line) and "type=order.succeeded" in line and "attempt=1" in line and "host=127.0.0.1" in line
    assert "hidden" not in line
    server.stop()


def test_a_wrong_setting_of_the_log_is_refused(tmp_path):
    with pytest.raises(AssertionError, match=r"log\.format must be one of logfmt, json"):
        with serving(tmp_path / "wrong", '[log]\nformat = "xml"\n'):
            pass
