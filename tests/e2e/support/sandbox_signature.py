"""Signs messages in the protocol of the channel kind `sandbox`, as its gateway does."""

import hashlib
import hmac
import time


def secret_of(server):
    return (server.data / "sandbox.secret").read_text(encoding="ascii").strip().encode()


def signed(secret, *lines, now=None):
    """Returns the signature headers of a message. The last of `lines` is the body. `now`: the time of a movable clock, in
    seconds."""
    stamp = str(int(now or time.time()))
    text = "\n".join([*lines[:-1], stamp, lines[-1]])
    signature = hmac.new(secret, text.encode(), hashlib.sha256).hexdigest()
    return {"Sandbox-Signature": signature, "Sandbox-Timestamp": stamp}
