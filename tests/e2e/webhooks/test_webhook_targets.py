"""Protection against server-side request forgery (SSRF) by webhook URLs: the server refuses URLs of non-public
addresses and never connects to them.

The fixture `trap` is a server on the loopback addresses. It counts connections, and no tested URL may cause one.
"""

import itertools
import re
import socket

import pytest

from finality_server import serving
from merchant_fixtures import close_order, deliveries_after, new_merchant
from socket_server import SocketServer, read_request
from wait import until

BODY_BYTES_MAX = 256 << 10
REDIRECTS = [300, 301, 302, 303, 304, 305, 307, 308]

# Malformed or deceptive URLs. TRAP stands for the port of the trap server.
MALFORMED = [
    # no host
    "", " ", "/", "/hook", "//127.0.0.1:TRAP/", "127.0.0.1:TRAP", "127.0.0.1:TRAP/", "localhost:TRAP/", "http", "http:",
    "http:/", "http://", "http:///", "http:///hook", "https://", "http://:TRAP/", "http://?q", "http:127.0.0.1:TRAP",
    "http:/127.0.0.1:TRAP/",
    # invalid port
    "http://shop.example:0/", "http://127.0.0.1:0/", "https://[::1]:0/", "http://127.0.0.1:00000/",
    "http://shop.example:65536/", "http://shop.example:87036/", "http://shop.example:99999999999999999999/",
    "http://shop.example:x/", "http://shop.example:-1/", "http://shop.example:+80/", "http://shop.example:80x/",
    "http://shop.example:8 0/", "http://shop.example:0x50/", "http://shop.example:80:80/",
    # invalid address
    "http://::1/", "http://::1:TRAP/", "http://[::1/", "http://[::1]x/", "http://[::1]TRAP/", "http://[127.0.0.1]/",
    "http://[v1.7f]/", "http://[]/", "http://[:::1]/", "http://[fe80::1%lo]/", "http://127.0.0.1x/",
    "http://127.0.0.1.:TRAP/", "http://127.0.0.1.1:TRAP/", "http://.:TRAP/", "http://..:TRAP/",
    # the apparent host is not the real host
    "http://shop.example@127.0.0.1:TRAP/", "http://@127.0.0.1:TRAP/", "http://:@127.0.0.1:TRAP/",
    "http://user:word@shop.example/", "http://shop.example:80@127.0.0.1:TRAP/", "http://127.0.0.1:TRAP#@shop.example/",
    "http://shop.example#@127.0.0.1:TRAP/", "http://127.0.0.1:TRAP/#", "http://127.0.0.1:TRAP\\@shop.example/",
    "http://shop.example\\@127.0.0.1:TRAP/", "http:\\\\127.0.0.1:TRAP\\", "http://shop.example%40127.0.0.1:TRAP/",
    "http://127.0.0.1%2f@shop.example/", "http://127.0.0.1%2f.shop.example/", "http://127.0.0.1%23.shop.example/",
    "http://127.0.0.1%3aTRAP/", "http://127.0.0.1%00.shop.example/", "http://127.0.0.1%20/", "http://127.0.0.1%09/",
    "http://127.0.0.1%0d%0a/", "http://127.0.0.1%/", "http://127.0.0.1%zz/",
    # control characters, whitespace and non-ASCII letters
    " http://127.0.0.1:TRAP/", "http://127.0.0.1:TRAP/ ", "\thttp://127.0.0.1:TRAP/", "http://127.0.0.1:TRAP/\n",
    "http://127.0.0.1\r\n:TRAP/", "http://127.0.0.1:TRAP/\r\nX-Evil: 1",
    "http://127.0.0.1:TRAP/ HTTP/1.1\r\nHost: x\r\n", "http://127.0.0.1\t:TRAP/", "http://127.0.0.1:TRAP/\x00",
    "http://127.0.0.1\x00.shop.example/",
    "http://127.0.0.1:TRAP/\x7f", "http://shop example/", "ht\ntp://127.0.0.1:TRAP/", "\ufeffhttp://127.0.0.1:TRAP/",
    "http://①②⑦.⓪.⓪.①:TRAP/", "http://１２７.０.０.１:TRAP/", "http://127。0。0。1:TRAP/", "http://ⓛocalhost:TRAP/",
    "http://%e2%91%a0%e2%91%a1%e2%91%a6.0.0.1:TRAP/", "http://localho\u017ft:TRAP/", "http://127.0.0.1:TRAP/é",
    "http\uff1a//127.0.0.1:TRAP/",
    # scheme other than http and https
    "file:///etc/passwd", "file://127.0.0.1/etc/passwd", "ftp://127.0.0.1:TRAP/", "gopher://127.0.0.1:TRAP/_x",
    "dict://127.0.0.1:TRAP/", "ldap://127.0.0.1:TRAP/", "tftp://127.0.0.1:TRAP/x", "ws://127.0.0.1:TRAP/",
    "jar:http://127.0.0.1:TRAP!/", "unix:///var/run/docker.sock", "http+unix://%2fvar%2frun%2fdocker.sock/",
    "data:text/plain,x", "javascript:alert(1)", "httpx://127.0.0.1:TRAP/", "xhttp://127.0.0.1:TRAP/",
    "url:http://127.0.0.1:TRAP/", "view-source:http://127.0.0.1:TRAP/",
    # too long, or not a string
    "http://127.0.0.1:TRAP/" + "a" * 2048, "http://" + "a." * 1024 + "example/", None, 5, True, [], {},
    ["http://127.0.0.1:TRAP/"], {"url": "http://127.0.0.1:TRAP/"},
]

# Non-public addresses, in all notations that common parsers accept.
NOT_PUBLIC = [
    # loopback
    "http://127.0.0.1:TRAP/", "https://127.0.0.1:TRAP/", "http://127.0.0.1:TRAP", "http://127.1:TRAP/",
    "http://127.0.1:TRAP/", "http://127.255.255.254:TRAP/", "http://0:TRAP/", "http://0.0.0.0:TRAP/",
    "http://0x7f.1:TRAP/", "http://0x7f000001:TRAP/", "http://0X7F.0x0.0x0.0x1:TRAP/",
    "http://2130706433:TRAP/", "http://017700000001:TRAP/", "http://0177.0.0.1:TRAP/", "http://0177.0x0.0.01:TRAP/",
    "http://127.000.000.001:TRAP/", "http://%31%32%37.0.0.1:TRAP/", "http://127%2e0%2e0%2e1:TRAP/",
    "http://127.0.0.%31:TRAP/", "http://%30:TRAP/", "http://127.0.0.1:TRAP?@shop.example/",
    "http://127.0.0.1:TRAP/?url=https://shop.example/", "http://127.0.0.1:TRAP/@shop.example/",
    "http://127.0.0.1:0000000TRAP/", "http://127.0.0.1", "https://127.0.0.1", "http://127.0.0.1:/",
    # private, shared, link-local and other non-public addresses
    "http://10.0.0.1/", "http://10.1/", "http://167772161/", "http://0xa000001/", "http://0xa.0.0.1/",
    "http://172.16.0.1/", "http://172.31.255.254/", "http://192.168.1.1/", "http://192.168.257/", "http://3232235777/",
    "http://169.254.169.254/latest/meta-data/", "http://2852039166/", "http://0xa9fea9fe/",
    "http://0251.0376.0251.0376/", "http://169.254.43518/", "http://0xa9.0xfe.0xa9.0xfe/",
    "http://169%2e254%2e169%2e254/", "http://100.100.100.200/", "http://100.64.0.1/", "http://168.63.129.16/",
    "http://192.0.0.192/", "http://192.0.2.1/", "http://198.18.0.1/", "http://198.51.100.1/", "http://203.0.113.1/",
    "http://224.0.0.1/", "http://240.0.0.1/", "http://255.255.255.255/",
    # IPv6, and embedded IPv4
    "http://[::1]:TRAP/", "http://[0:0:0:0:0:0:0:1]:TRAP/", "http://[0000::0001]:TRAP/", "http://[::]:TRAP/",
    "http://[::0.0.0.1]:TRAP/", "http://[::ffff:127.0.0.1]:TRAP/", "http://[::FFFF:7F00:1]:TRAP/",
    "http://[0:0:0:0:0:ffff:127.0.0.1]:TRAP/", "http://[::ffff:0.0.0.0]:TRAP/", "http://[::127.0.0.1]:TRAP/",
    "http://[::ffff:0:127.0.0.1]:TRAP/", "http://[::ffff:169.254.169.254]/", "http://[::ffff:a9fe:a9fe]/",
    "http://[::ffff:10.0.0.1]/", "http://[64:ff9b::127.0.0.1]:TRAP/", "http://[64:ff9b::a9fe:a9fe]/",
    "http://[64:ff9b:1::8.8.8.8]/", "http://[2002:7f00:1::]:TRAP/", "http://[2002:a9fe:a9fe::1]/",
    "http://[2002:c0a8:101::1]/", "http://[2001:0:7f00:1::]/", "http://[2606:4700::5efe:10.0.0.1]/",
    "http://[fd00:ec2::254]/", "http://[fc00::1]/", "http://[fdff::1]:TRAP/", "http://[fe80::1]:TRAP/",
    "http://127.1.:TRAP/", "http://.127.0.0.1:TRAP/", "http://127..0.0.1:TRAP/", "http://256.0.0.1:TRAP/",
    "http://4294967297:TRAP/", "http://0x17f000001:TRAP/", "http://0x7f.0.0.0x1g:TRAP/",
    "http://[febf::1]/", "http://[fec0::1]/", "http://[ff02::1]:TRAP/", "http://[2001:db8::1]/", "http://[100::1]/",
]

# Host names that resolve to loopback addresses or do not resolve.
NAMES = [
    "https://localhost:TRAP/", "https://LOCALHOST:TRAP/", "https://LocalHost:TRAP/hook",
    "https://%6cocalhost:TRAP/", "https://l%6Fcalhost:TRAP/", "https://localhost.:TRAP/", "https://shop.localhost:TRAP/",
    "https://1e9:TRAP/", "https://-1:TRAP/",
    "https://unknown.invalid:TRAP/", "https://" + "a" * 64 + ".invalid:TRAP/", "https://" + "a." * 200 + "invalid:TRAP/",
]


def shown(url):
    return ascii(url)[:60]


@pytest.fixture(scope="module")
def tried_trap():
    """Trap server on both loopback addresses. The fixture first checks that it counts connections."""
    server = SocketServer("127.0.0.1", "::1")
    for address in ("127.0.0.1", "::1"):
        socket.create_connection((address, server.port)).close()
    until(lambda: server.connections == 2, "the trap counts")
    yield server
    server.stop()


@pytest.fixture
def trap(tried_trap):
    """The trap server with its connection count reset to zero."""
    tried_trap.forget()
    return tried_trap


@pytest.fixture(scope="module")
def strict(tmp_path_factory):
    """A server that allows webhooks only to public addresses."""
    with serving(tmp_path_factory.mktemp("strict")) as server:
        yield server


@pytest.fixture(scope="module")
def lenient(tmp_path_factory):
    """A server that also allows webhooks to 127.0.0.2, where no trap listens, and retries after short pauses."""
    settings = 'time_scale = 1000\n[webhooks]\nallow_private = ["127.0.0.2"]\n'
    with serving(tmp_path_factory.mktemp("lenient"), settings) as server:
        yield server


@pytest.fixture
def targets():
    """Returns a function that starts a webhook target at 127.0.0.2, which reads each request and then calls
    `talk(connection)`."""
    servers = []

    def start(talk):
        def answer(connection):
            read_request(connection)
            talk(connection)

        servers.append(SocketServer("127.0.0.2", talk=answer))
        return f"http://127.0.0.2:{servers[-1].port}/hook"

    yield start
    for server in servers:
        server.stop()


@pytest.fixture(scope="module")
def refused(contract, strict):
    """A merchant on the server `strict`, for URLs that the API must refuse."""
    return new_merchant(contract, strict)


def check_refused(api, trap, url, reason):
    """Checks that the API refuses the URL as an endpoint and as an order's notify_url, and that the refusal names the
    field."""
    if isinstance(url, str):
        url = url.replace("TRAP", str(trap.port))
    asked = [("/v1/webhook_endpoints", {"url": url}, "url"),
             ("/v1/orders", {"merchant_order_no": "1", "amount": 1, "currency": "CNY", "subject": "x",
                             "notify_url": url}, "notify_url")]
    for path, body, param in asked:
        problem = api.post(path, body, expect=400)
        assert problem["code"] == "invalid_request" and problem["param"] == param, problem
        assert re.search(reason, problem["detail"]), problem
    assert trap.connections == 0


@pytest.mark.parametrize("url", MALFORMED, ids=shown)
def test_an_invalid_url_is_refused_when_it_is_set(refused, trap, url):
    check_refused(refused, trap, url, "http or https URL")


@pytest.mark.parametrize("url", NOT_PUBLIC, ids=shown)
def test_a_private_address_is_refused_when_it_is_set(refused, trap, url):
    check_refused(refused, trap, url, "http or https URL|must have a public address")


@pytest.mark.parametrize("url", ["http://shop.example/", "HTTP://shop.example:8080/hook", "http://localhost:TRAP/",
                                 "http://1.1.1.1/"])
def test_http_is_refused_unless_the_host_is_listed(refused, trap, url):
    check_refused(refused, trap, url, "https URL, because its host is not listed in the setting webhooks.allow_private")


@pytest.mark.parametrize("url", ["HTTPS://shop.example/", "Https://shop.example/"])
def test_a_scheme_may_be_in_capitals(contract, strict, url):
    api = new_merchant(contract, strict)
    endpoint = api.post("/v1/webhook_endpoints", {"url": url}, expect=201)
    again = api.post("/v1/webhook_endpoints", {"url": endpoint["url"]}, expect=400)
    assert endpoint["id"] in again["detail"]


def test_refused_requests_stored_nothing(refused):
    assert refused.get("/v1/webhook_endpoints")["data"] == refused.get("/v1/orders")["data"] == []


def check_never_reached(api, trap, url, reason):
    """Checks that deliveries to the URL, as an endpoint and as a notify_url, fail without a connection to the trap,
    also when resent."""
    url = url.replace("TRAP", str(trap.port))
    endpoint = api.post("/v1/webhook_endpoints", {"url": url}, expect=201)
    order = close_order(api, notify_url=url)
    first = deliveries_after(api, order, attempts=1)
    assert len(first) == 2 and {each.get("endpoint") is None for each in first} == {True, False}
    for each in first:
        api.post(f"/v1/webhook_deliveries/{each['id']}/resend")
    for each in deliveries_after(api, order, attempts=2):
        assert each["state"] == "pending" and "last_status" not in each
        assert each["url"] == (endpoint["url"] if "endpoint" in each else url)
        assert re.match(reason, each["last_error"]), each
    assert trap.connections == 0


@pytest.mark.parametrize("url", NAMES, ids=shown)
def test_a_name_of_a_private_address_is_never_connected_to(contract, strict, trap, url):
    reason = "address not allowed: .* is not at a public address|cannot look up "
    check_never_reached(new_merchant(contract, strict), trap, url, reason)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.3", "127.2", "2130706434", "127.2.",
                                  "[::ffff:127.0.0.2]", "[::ffff:7f00:2]", "[::1]", "localhost"])
def test_an_allowed_address_allows_no_other(contract, lenient, trap, host):
    """`allow_private` permits only the listed address in its standard notation. Other notations, other loopback
    addresses and the name `localhost` lead to no connection."""
    api = new_merchant(contract, lenient)
    url = f"{'https' if host == 'localhost' else 'http'}://{host}:{trap.port}/"
    if host != "localhost":
        check_refused(api, trap, url, "http or https URL|must have a public address")
        return
    order = close_order(api, notify_url=url)
    [delivery] = deliveries_after(api, order, attempts=2)
    assert "last_status" not in delivery
    assert re.match("address not allowed: |cannot look up |cannot connect to ", delivery["last_error"]), delivery
    assert trap.connections == 0


def answer_of(status, *fields, body=b""):
    head = [f"HTTP/1.1 {status} x", f"Content-Length: {len(body)}", "Connection: close", *fields, "", ""]
    return "\r\n".join(head).encode() + body


def delivery_to(contract, server, url, attempts=1, timeout=15):
    """Creates and closes an order with this notify_url. Returns its only delivery after that many attempts."""
    api = new_merchant(contract, server)
    order = close_order(api, notify_url=url)
    [delivery] = deliveries_after(api, order, attempts, timeout)
    return delivery


def test_an_allowed_address_is_reached(contract, lenient, targets):
    url = targets(lambda connection: connection.sendall(answer_of(200)))
    delivery = delivery_to(contract, lenient, url)
    assert delivery["state"] == "delivered" and delivery["last_status"] == 200 and delivery["attempts"] == 1


@pytest.mark.parametrize("status", REDIRECTS)
def test_a_redirect_is_a_failure_and_is_not_followed(contract, lenient, targets, trap, status):
    places = itertools.cycle([f"Location: http://127.0.0.1:{trap.port}/", f"Location: http://[::1]:{trap.port}/",
                              f"Location: //localhost:{trap.port}/", f"Refresh: 0; url=http://127.0.0.1:{trap.port}/"])
    url = targets(lambda connection: connection.sendall(answer_of(status, next(places))))
    delivery = delivery_to(contract, lenient, url, attempts=3)
    assert delivery["attempts"] >= 3 and delivery["last_status"] == status
    assert delivery["last_error"] == f"status {status}, and redirects are not followed"
    assert trap.connections == 0


def test_a_targets_url_cannot_inject_headers(contract, lenient):
    heads = []

    def talk(connection):
        heads.append(read_request(connection)[0])
        connection.sendall(answer_of(200))

    target = SocketServer("127.0.0.2", talk=talk)
    try:
        path = "/hook%0d%0aX-Evil:%201?a=%0D%0A%0D%0APOST%20/x"
        delivery = delivery_to(contract, lenient, f"http://127.0.0.2:{target.port}{path}")
    finally:
        target.stop()
    assert delivery["state"] == "delivered" and target.connections == 1
    lines = heads[0].split("\r\n")
    assert lines[0] == f"POST {path} HTTP/1.1"
    assert [line for line in lines if line.startswith("Host:")] == [f"Host: 127.0.0.2:{target.port}"]
    assert not [line for line in lines[1:] if "evil" in line.lower()]


def test_a_response_as_long_as_the_limit_is_accepted(contract, lenient, targets):
    url = targets(lambda connection: connection.sendall(answer_of(200, body=b"x" * BODY_BYTES_MAX)))
    assert delivery_to(contract, lenient, url)["state"] == "delivered"


def send_too_long_a_body(connection):
    connection.sendall(answer_of(200, body=b"x" * (BODY_BYTES_MAX + 1)))


def announce_too_long_a_body(connection):
    connection.sendall(b"HTTP/1.1 200 x\r\nContent-Length: 1000000000000\r\n\r\n")
    connection.recv(1)


def send_endless_chunks(connection):
    connection.sendall(b"HTTP/1.1 200 x\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        connection.sendall(b"1000\r\n" + b"x" * 4096 + b"\r\n")


def send_until_closed(connection):
    connection.sendall(b"HTTP/1.1 200 x\r\n\r\n")
    while True:
        connection.sendall(b"x" * 4096)


@pytest.mark.parametrize("talk", [send_too_long_a_body, announce_too_long_a_body, send_endless_chunks,
                                  send_until_closed])
def test_a_response_over_the_limit_is_a_failure(contract, lenient, targets, talk):
    delivery = delivery_to(contract, lenient, targets(talk))
    assert "last_status" not in delivery
    assert delivery["last_error"].endswith(f" exceeds {BODY_BYTES_MAX} bytes"), delivery


def send_endless_headers(connection):
    connection.sendall(b"HTTP/1.1 200 x\r\n")
    for number in itertools.count():
        connection.sendall(f"X-{number}: {'x' * 1000}\r\n".encode())


def send_endless_interim_responses(connection):
    while True:
        connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")


def send_other_protocol(connection):
    connection.sendall(b"220 mail.example ESMTP\r\n")


def close_early(connection):
    connection.sendall(b"HTTP/1.1 200 x\r\nContent-Length: 7\r\n\r\nsucc")


@pytest.mark.parametrize("talk", [send_endless_headers, send_endless_interim_responses, send_other_protocol,
                                  close_early])
def test_an_invalid_response_is_a_failure(contract, lenient, targets, talk):
    delivery = delivery_to(contract, lenient, targets(talk))
    assert "last_status" not in delivery
    assert re.match("(no final|incomplete) response from 127.0.0.2 port ", delivery["last_error"]), delivery


def send_nothing(connection):
    connection.recv(1)


def send_byte_by_byte(connection):
    connection.sendall(b"HTTP/1.1 200 x\r\nContent-Length: 100000\r\n\r\n")
    while True:
        connection.sendall(b"x")
        connection.settimeout(0.2)
        try:
            if not connection.recv(1):
                return
        except TimeoutError:
            pass


def test_a_response_must_be_complete_in_time(contract, lenient, targets):
    """A delivery fails if the whole response has not arrived within 15 s."""
    api = new_merchant(contract, lenient)
    for talk in (send_nothing, send_byte_by_byte):
        api.post("/v1/webhook_endpoints", {"url": targets(talk)}, expect=201)
    order = close_order(api)
    deliveries = deliveries_after(api, order, attempts=1, timeout=25)
    assert len(deliveries) == 2
    for delivery in deliveries:
        assert "last_status" not in delivery
        timed_out = r"no response from .* within 1[45]\d{3} ms, while waiting for the response"
        assert re.match(timed_out, delivery["last_error"])
