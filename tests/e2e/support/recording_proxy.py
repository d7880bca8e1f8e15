"""HTTP servers that record requests: CaptureServer responds itself, RecordingProxy forwards to another server."""

import dataclasses
import http.client
import http.server
import threading
import urllib.parse

from merchant_server import Listener

TIMEOUT_S = 30
# Headers of the connection, not of the message.
OF_CONNECTION = {"connection", "keep-alive", "transfer-encoding", "content-length", "host"}


@dataclasses.dataclass(frozen=True)
class CapturedRequest:
    method: str
    target: str  # path and query, as received
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def query(self):
        return parameters(urllib.parse.urlsplit(self.target).query)

    @property
    def form(self):
        return parameters(self.body.decode("utf-8"))


@dataclasses.dataclass(frozen=True)
class CapturedResponse:
    status: int
    headers: tuple  # pairs of name and value
    body: bytes


def parameters(text):
    """Parses a query string or a form body into a dict. Fails if a parameter occurs twice."""
    pairs = urllib.parse.parse_qsl(text, keep_blank_values=True, strict_parsing=True) if text else []
    found = dict(pairs)
    assert len(found) == len(pairs), f"duplicate parameter: {text}"
    return found


class CaptureServer:
    """HTTP server on a free port of 127.0.0.1 that records every request. Thread-safe. Call stop() at the end."""

    def __init__(self, status: int = 200, body: bytes = b"success"):
        self._answer = CapturedResponse(status, (), body)
        self._changed = threading.Condition()
        self._captured = []
        self._server = Listener(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05})
        self._thread.start()

    def captured(self):
        with self._changed:
            return list(self._captured)

    def wait_for(self, condition, what, timeout=15.0):
        """Waits for the first request for which `condition(request)` is true, and returns it."""

        def first():
            return next((one for one in self._captured if condition(one)), None)

        with self._changed:
            found = self._changed.wait_for(first, timeout)
        assert found, f"no {what} within {timeout} s, but: {self.captured()}"
        return found

    def stop(self):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _respond(self, request) -> CapturedResponse:
        return self._answer

    def _receive(self, request):
        with self._changed:
            self._captured.append(request)
            self._changed.notify_all()
        return self._respond(request)

    def _handler(self):
        recorder = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                sent = recorder._receive(CapturedRequest(self.command, self.path, self.headers, body))
                self.send_response_only(sent.status)
                for name, value in sent.headers:
                    self.send_header(name, value)
                if sent.status != 204:
                    self.send_header("Content-Length", str(len(sent.body)))
                self.end_headers()
                self.wfile.write(sent.body)

            do_GET = do_POST = answer

            def log_message(self, *_):
                pass

        return Handler


class RecordingProxy(CaptureServer):
    """Proxy that forwards requests to the server at `url` and returns its responses unchanged. If `alter` is set, this
    function returns the response to send instead."""

    def __init__(self, url: str):
        self._upstream = urllib.parse.urlsplit(url).netloc
        self.alter = None
        super().__init__()

    def _respond(self, request):
        connection = http.client.HTTPConnection(self._upstream, timeout=TIMEOUT_S)
        try:
            headers = {name: value for name, value in request.headers.items() if name.lower() not in OF_CONNECTION}
            connection.request(request.method, request.target, request.body or None, headers)
            response = connection.getresponse()
            kept = tuple(pair for pair in response.getheaders() if pair[0].lower() not in OF_CONNECTION)
            sent = CapturedResponse(response.status, kept, response.read())
        finally:
            connection.close()
        return self.alter(sent) if self.alter else sent
