"""Name server for A and AAAA queries over UDP (RFC 1035), for names that a test chooses."""

import socket
import struct
import threading

A = 1
FLAGS = 0x8180      # a reply, recursion desired and available
NXDOMAIN = 3
TTL_S = 60
NAME_OF_QUESTION = b"\xc0\x0c"


class NameServer:
    """Name server on a free port of 127.0.0.1. Names that end in `silent` get no reply. Names of `addresses` have an
    IPv4 address. Other names do not exist."""

    def __init__(self, addresses, silent):
        self._addresses = addresses
        self._silent = silent
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self._stopped = False
        self.place = f"127.0.0.1:{self._socket.getsockname()[1]}"
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def stop(self):
        self._stopped = True
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as waker:
            waker.sendto(b"", self._socket.getsockname())
        self._thread.join()
        self._socket.close()

    def _serve(self):
        while True:
            query, client = self._socket.recvfrom(1024)
            if self._stopped:
                return
            reply = self._reply_to(query)
            if reply is not None:
                self._socket.sendto(reply, client)

    def _reply_to(self, query):
        labels, at = [], 12
        while query[at]:
            labels.append(query[at + 1:at + 1 + query[at]].decode("ascii"))
            at += 1 + query[at]
        question = query[12:at + 5]
        [kind] = struct.unpack(">H", query[at + 1:at + 3])
        name = ".".join(labels)
        if name.endswith(self._silent):
            return None
        address = self._addresses.get(name)
        record = b""
        if address is not None and kind == A:
            record = NAME_OF_QUESTION + struct.pack(">HHIH", A, 1, TTL_S, 4) + socket.inet_aton(address)
        flags = FLAGS if address is not None else FLAGS | NXDOMAIN
        return query[:2] + struct.pack(">HHHHH", flags, 1, 1 if record else 0, 0, 0) + question + record
