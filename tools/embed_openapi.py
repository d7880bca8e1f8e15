#!/usr/bin/env python3
"""Embeds openapi.yaml in a C++ source, as JSON and as an HTML page. Usage: embed_openapi.py INPUT.yaml OUTPUT.cpp"""

import base64
import hashlib
import json
import pathlib
import sys

import yaml

from api_reference import STYLE, Reference

# Maximum length of a string literal. Some compilers limit it; the compiler concatenates adjacent literals.
LINE_BYTES = 100


class Loader(yaml.SafeLoader):
    """YAML loader that rejects repeated keys, and loads dates as strings, because JSON has no date type."""

    def construct_mapping(self, node, deep=False):
        keys = [key.value for key, _ in node.value]
        repeated = {key for key in keys if keys.count(key) > 1}
        if repeated:
            raise yaml.constructor.ConstructorError(None, None, f"repeated keys: {sorted(repeated)}", node.start_mark)
        return super().construct_mapping(node, deep)


Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def literal(text):
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("?", "\\?")
    return f'    "{escaped}"'


def constant(name, text):
    lines = [literal(text[start : start + LINE_BYTES]) for start in range(0, len(text), LINE_BYTES)]
    return f"const std::string_view {name} =\n" + "\n".join(lines) + ";\n\n"


def main():
    source, target = map(pathlib.Path, sys.argv[1:3])
    document = yaml.load(source.read_text(encoding="utf-8"), Loader)
    text = json.dumps(document, ensure_ascii=True, separators=(",", ":")) + "\n"
    style = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(
        f"// Made from {source.name} by tools/embed_openapi.py.\n"
        '#include "http/server/openapi.h"\n\n'
        "namespace finality::http {\n\n"
        + constant("kOpenApiJson", text)
        + constant("kApiReferenceHtml", Reference(document).page())
        + constant("kApiReferencePolicy", f"default-src 'none'; style-src 'sha256-{style}'; base-uri 'none'; "
                                          "form-action 'none'; frame-ancestors 'none'") +
        "}  // namespace finality::http\n"
    )


if __name__ == "__main__":
    main()
