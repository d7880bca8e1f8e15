"""A merchant's webhooks name hosts whose name servers never reply. They do not delay the webhooks of another merchant,
whose host has to be looked up too."""

import pytest

from finality_server import serving
from merchant_fixtures import close_order, deliveries_after, new_merchant
from name_server import NameServer
from socket_server import SocketServer, read_request
from wait import until

HOST = "hooks.shop.test"
SILENT = ".silent.example"
MANY = 60
AT_ONCE_S = 2


@pytest.fixture
def name_server():
    server = NameServer({HOST: "127.0.0.1"}, silent=SILENT)
    yield server
    server.stop()


@pytest.fixture
def receiver():
    def answer(connection):
        read_request(connection)
        connection.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")

    server = SocketServer("127.0.0.1", talk=answer)
    yield server
    server.stop()


def test_names_without_a_reply_do_not_delay_other_merchants(contract, tmp_path, name_server, receiver):
    settings = f'name_servers = ["{name_server.place}"]\n[webhooks]\nallow_private = ["{HOST}"]\n'
    with serving(tmp_path, settings) as server:
        one, other = new_merchant(contract, server), new_merchant(contract, server)
        silent = [close_order(one, notify_url=f"https://{number}{SILENT}/hook") for number in range(MANY)]
        for _ in range(3):
            order = close_order(other, notify_url=f"http://{HOST}:{receiver.port}/hook")
            [delivery] = deliveries_after(other, order, attempts=1, timeout=AT_ONCE_S)
            assert delivery["state"] == "delivered", delivery

        def failed():
            found = one.all("/v1/webhook_deliveries", order=silent[0]["id"])
            return [each["last_error"] for each in found if each["attempts"] == 1]

        [error] = until(failed, "the first look-up has failed")
        assert error == f"cannot look up 0{SILENT}: no reply from a name server within 2500 ms"
