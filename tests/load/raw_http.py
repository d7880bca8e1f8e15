"""HTTP/1.1 over asyncio sockets, without checks of responses: for clients that measure, and for attackers."""

import asyncio
import json
import socket
import urllib.parse

HEAD_BYTES_MAX = 1 << 16


def place_of(url):
    """Returns (host, port) of an http URL."""
    parts = urllib.parse.urlsplit(url)
    return parts.hostname, parts.port


def request(place, method, path, key=None, body=None, headers=()):
    """Returns the bytes of a request. `body` is sent as JSON."""
    content = b"" if body is None else json.dumps(body).encode()
    lines = [f"{method} {path} HTTP/1.1", f"Host: {place[0]}:{place[1]}", *headers]
    if key is not None:
        lines.append(f"Authorization: Bearer {key}")
    if body is not None:
        lines += ["Content-Type: application/json", f"Content-Length: {len(content)}"]
    return "\r\n".join([*lines, "", ""]).encode() + content


async def connect(place, source=None, receive_buffer=None):
    """Opens a connection from the address `source`. A small `receive_buffer` lets the server notice early that nothing
    is read. Returns (reader, writer); the reader buffers a few KB only."""
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        sock.setblocking(False)
        if receive_buffer:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        if source:
            sock.bind((source, 0))
        await asyncio.get_running_loop().sock_connect(sock, place)
        return await asyncio.open_connection(sock=sock, limit=HEAD_BYTES_MAX)
    except BaseException:
        sock.close()
        raise


async def read_response(reader):
    """Reads one response with a Content-Length. Returns (status, body)."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    fields = dict(line.lower().split(":", 1) for line in head[1:] if ":" in line)
    return int(head[0].split(" ")[1]), await reader.readexactly(int(fields.get("content-length", 0)))


async def fetch(place, method, path, key=None, body=None, headers=(), source=None):
    """Sends one request on a new connection. Returns (status, body)."""
    reader, writer = await connect(place, source)
    try:
        writer.write(request(place, method, path, key, body, ["Connection: close", *headers]))
        return await read_response(reader)
    finally:
        writer.close()
