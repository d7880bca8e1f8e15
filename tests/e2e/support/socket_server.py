"""TCP server that counts connections or sends arbitrary bytes, for behavior that an HTTP server cannot produce."""

import socket
import threading

PATIENCE_S = 60


class SocketServer:
    """TCP server on one free port of several local addresses. Thread-safe."""

    def __init__(self, *addresses: str, talk=lambda connection: None):
        """Calls `talk(connection)` for each connection on a separate thread, then closes the connection."""
        self._talk = talk
        self._changed = threading.Lock()
        self._connections = 0
        self._listeners = listen_at(addresses)
        self.port = self._listeners[0].getsockname()[1]
        self._threads = [threading.Thread(target=self._accept, args=[listener]) for listener in self._listeners]
        for thread in self._threads:
            thread.start()

    @property
    def connections(self):
        """Returns the number of accepted connections since the start or since forget(). Includes every connection made
        before the call."""
        with self._changed:
            return self._connections

    def forget(self):
        with self._changed:
            self._connections = 0

    def stop(self):
        for listener in self._listeners:
            listener.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()
        for listener in self._listeners:
            listener.close()

    def _accept(self, listener):
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with self._changed:
                self._connections += 1
            threading.Thread(target=self._serve, args=[connection], daemon=True).start()

    def _serve(self, connection):
        with connection:
            connection.settimeout(PATIENCE_S)
            try:
                self._talk(connection)
            except OSError:
                pass  # the peer has closed the connection


def listen_at(addresses):
    """Returns one listening socket for each address, all on the same port."""
    while True:
        port, listeners = 0, []
        try:
            for address in addresses:
                family = socket.AF_INET6 if ":" in address else socket.AF_INET
                listeners.append(socket.create_server((address, port), family=family, backlog=64))
                port = listeners[0].getsockname()[1]
            return listeners
        except OSError:
            for listener in listeners:
                listener.close()
            if len(listeners) == 0:
                raise


def read_request(connection):
    """Reads one HTTP request. Returns its head as text, and its body as bytes."""
    received = b""
    while b"\r\n\r\n" not in received:
        received += receive(connection)
    head, body = received.split(b"\r\n\r\n", 1)
    fields = dict(line.lower().split(b":", 1) for line in head.split(b"\r\n")[1:])
    while len(body) < int(fields[b"content-length"]):
        body += receive(connection)
    return head.decode("ascii"), body


def receive(connection):
    some = connection.recv(65536)
    if not some:
        raise ConnectionError("the peer has closed the connection")
    return some
