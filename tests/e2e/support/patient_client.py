"""API client that follows the retry rules for merchants: it repeats a request with the same Idempotency-Key and body
until it gets a final response."""

import dataclasses
import threading
import uuid

import requests

from wait import until

PATIENCE_S = 60.0
# Codes after which the client must retry. The server does not store such a response for the key.
ASK_AGAIN = {"busy", "capture_in_progress", "idempotency_key_in_use", "payment_in_progress", "storage_read_error",
             "storage_write_error"}


@dataclasses.dataclass(frozen=True)
class Answer:
    """The final response to a POST, with its request and the number of attempts."""

    path: str
    body: dict
    key: str
    status: int
    json: dict
    replayed: bool
    attempts: int


class PatientClient:
    """Sends requests with retries and records the final responses to POST requests. Thread-safe."""

    def __init__(self, api):
        self.api = api
        self._lock = threading.Lock()
        self._answers = []

    @property
    def nodes(self):
        """New clients of the same merchant, one per node, without recorded responses."""
        return [PatientClient(api) for api in self.api.nodes]

    @property
    def answers(self):
        with self._lock:
            return list(self._answers)

    def post(self, path, body=None, expect=201):
        """Sends a POST with a new key. Returns the body of the response: the object, or the refusal. Fails if the
        status is not in `expect`."""
        answer = self.repeat(path, body, str(uuid.uuid4()))
        expected = expect if isinstance(expect, tuple) else (expect,)
        assert answer.status in expected, f"POST {path} {body} returned {answer.status}: {answer.json}"
        with self._lock:
            self._answers.append(answer)
        return answer.json

    def repeat(self, path, body, key):
        """Sends a POST with this key, which may have been used before. Returns the Answer and does not record it."""
        attempts = 0

        def ask():
            nonlocal attempts
            attempts += 1
            arguments = {} if body is None else {"json": body}
            response = self._response("POST", path, headers={"Idempotency-Key": key}, **arguments)
            # The response is in a list, because until() tests truth and a response with an error status is false.
            return [response] if response is not None and response.json().get("code") not in ASK_AGAIN else None

        [response] = until(ask, f"POST {path} has a response", PATIENCE_S)
        replayed = response.headers.get("Idempotent-Replayed") == "true"
        return Answer(path, body, key, response.status_code, response.json(), replayed, attempts)

    def get_when(self, path, condition, what):
        """Requests the object until `condition(object)` is true, and returns it."""

        def look():
            response = self._response("GET", path)
            if response is None or response.json().get("code") in ASK_AGAIN:
                return None
            assert response.status_code == 200, f"GET {path} returned {response.status_code}: {response.text}"
            return response.json() if condition(response.json()) else None

        return until(look, f"{path} {what}", PATIENCE_S)

    def _response(self, method, path, **arguments):
        try:
            return self.api.request(method, path, **arguments)
        except requests.RequestException:
            return None
