"""Checks every response against openapi.yaml: its status, its headers and its body must be documented."""

import json
import pathlib
import re
import threading
import urllib.parse

import jsonschema
import requests
import yaml

METHODS = {"get", "put", "post", "delete", "options", "head", "patch", "trace"}

# Headers of HTTP itself, which openapi.yaml need not document. It must document all other headers.
HTTP_HEADERS = {"connection", "content-length", "content-type", "date", "keep-alive", "server", "cache-control",
                "transfer-encoding", "x-content-type-options", "vary", "content-encoding"}

# Statuses that the server may return before it has matched the path, by the name of their response.
ANYWHERE = {400: "BadRequest", 408: "RequestTimeout", 413: "BodyTooLarge", 431: "HeadersTooLarge", 500: "ServerError"}


class ContractBroken(AssertionError):
    pass


def strict_json(text):
    """Parses JSON, and rejects duplicate keys and numeric values that JSON does not allow, such as NaN."""

    def unique(pairs):
        keys = [key for key, _ in pairs]
        if len(set(keys)) != len(keys):
            raise ContractBroken(f"an object has a duplicate key: {keys}")
        return dict(pairs)

    def no_constant(name):
        raise ContractBroken(f"{name} is not JSON")

    return json.loads(text, object_pairs_hook=unique, parse_constant=no_constant)


def schemas_of_requests(document):
    """Returns the names of the schemas that request bodies refer to, directly or through other schemas."""
    found, open_ends = set(), [operation.get("requestBody", {}) for item in document["paths"].values()
                               for operation in item.values() if isinstance(operation, dict)]
    while open_ends:
        text = json.dumps(open_ends.pop(), default=str)
        for kind, name in re.findall(r'"#/components/(schemas|requestBodies)/(\w+)"', text):
            if (kind, name) not in found:
                found.add((kind, name))
                open_ends.append(document["components"][kind][name])
    return {name for kind, name in found if kind == "schemas"}


def closed(schema):
    """Returns the schema with additional properties forbidden in every object that lists its properties."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: closed(value) for key, value in schema.items()}
    if made.get("type") == "object" and "properties" in made:
        made.setdefault("additionalProperties", False)
    return made


def strict(document):
    """Forbids undocumented fields in the response schemas of the document. Real clients must ignore them, but the tests
    must detect a field that openapi.yaml does not document."""
    schemas = document["components"]["schemas"]
    requests_only = schemas_of_requests(document)
    for name in schemas.keys() - requests_only:
        schemas[name] = closed(schemas[name])
    return document


class Contract:
    """Checker of responses and values against openapi.yaml. Thread-safe."""

    def __init__(self, path: pathlib.Path):
        self.document = strict(yaml.safe_load(path.read_text(encoding="utf-8")))
        self._paths = [(re.compile(re.sub(r"\{[^}]+\}", "[^/]+", template) + r"\Z"), item)
                       for template, item in self.document["paths"].items()]
        self._local = threading.local()  # per thread: a resolver has mutable state

    def check(self, response: requests.Response):
        """Raises ContractBroken if the response does not match openapi.yaml."""
        request = response.request
        about = f"{request.method} {request.path_url} returned {response.status_code}"
        try:
            self._check_response(self._documented(request, response.status_code), response)
        except ContractBroken as broken:
            raise ContractBroken(f"{about}: {broken}\nbody: {response.text[:2000]}") from None

    def check_value(self, value, schema_name):
        """Raises ContractBroken if `value` does not match the schema of that name."""
        self._check_schema(value, {"$ref": f"#/components/schemas/{schema_name}"})

    def _documented(self, request, status):
        path = urllib.parse.urlsplit(request.path_url).path
        if status in ANYWHERE:
            return self._component(ANYWHERE[status])
        item = next((item for pattern, item in self._paths if pattern.match(path)), None)
        if item is None:
            if status != 404:
                raise ContractBroken("the path is not documented, so the status must be 404")
            return self._component("UnknownEndpoint")
        operation = item.get(request.method.lower())
        if operation is None:
            if status != 405:
                raise ContractBroken("the method is not documented, so the status must be 405")
            return self._component("MethodNotAllowed") | {"allow": {m.upper() for m in item if m in METHODS}}
        if str(status) not in operation["responses"]:
            raise ContractBroken(f"the status is not documented for {operation['operationId']}")
        return self._resolve(operation["responses"][str(status)])

    def _check_response(self, documented, response):
        replayed = response.headers.get("Idempotent-Replayed") == "true"
        self._check_headers(documented.get("headers", {}), response.headers)
        if "allow" in documented:
            allow = set(response.headers["Allow"].split(", ")) - {"HEAD", "OPTIONS"}
            if allow != documented["allow"]:
                raise ContractBroken(f"Allow is {allow}, documented is {documented['allow']}")
        content = documented.get("content", {})
        if not content and not response.content:
            return
        media_type = response.headers.get("Content-Type", "").split(";")[0].strip()
        if media_type not in content:
            raise ContractBroken(f"the Content-Type is {media_type!r}, documented are {list(content)}")
        if not media_type.endswith("json"):
            return
        try:
            body = strict_json(response.content.decode("utf-8"))
        except ValueError as error:
            raise ContractBroken(f"the body is not JSON: {error}") from None
        self._check_schema(body, content[media_type]["schema"])
        if media_type == "application/problem+json":
            if body["status"] != response.status_code:
                raise ContractBroken("the problem's status is not the response's")
            if not replayed and body["request_id"] != response.headers["Request-Id"]:
                raise ContractBroken("the problem's request_id is not the response's Request-Id")

    def _check_headers(self, documented, headers):
        for name, header in documented.items():
            header = self._resolve(header)
            if name in headers:
                self._check_schema(headers[name], header["schema"])
            elif header.get("required"):
                raise ContractBroken(f"the header {name} is missing")
        known = HTTP_HEADERS | {name.lower() for name in documented}
        unknown = {name for name in headers if name.lower() not in known}
        if unknown:
            raise ContractBroken(f"the headers {unknown} are not documented")

    def _check_schema(self, value, schema):
        resolver = getattr(self._local, "resolver", None)
        if resolver is None:
            resolver = self._local.resolver = jsonschema.RefResolver.from_schema(self.document)
        validator = jsonschema.Draft202012Validator(schema, resolver=resolver)
        errors = [f"{error.json_path}: {error.message[:300]}" for error in validator.iter_errors(value)]
        if errors:
            raise ContractBroken("; ".join(errors))

    def _component(self, name):
        return self.document["components"]["responses"][name]

    def _resolve(self, node):
        while "$ref" in node:
            target = self.document
            for part in node["$ref"].removeprefix("#/").split("/"):
                target = target[part]
            node = target
        return node


class CheckedSession(requests.Session):
    """HTTP session that checks every response against the contract."""

    def __init__(self, contract: Contract):
        super().__init__()
        self._contract = contract
        self.trust_env = False  # ignore proxy settings of the environment

    def send(self, request, **arguments):
        response = super().send(request, **arguments)
        self._contract.check(response)
        return response
