"""A server below the HTTP level: it counts connections, or responds byte by byte."""

import socket
import threading

PATIENCE_S = 60


class SocketServer:
    """Listens at addresses of this machine, all on one free port. Thread-safe."""

    def __init__(self, *addresses: str, talk=lambda connection: None):
        """`talk` is called with each connection, on a separate thread; the connection is closed afterwards."""
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
        """The number of connections so far. It includes every connection made before the call."""
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
    """Returns the request's head as text, and its body."""
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
