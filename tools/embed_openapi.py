#!/usr/bin/env python3
"""Converts openapi.yaml to a C++ source that contains it as JSON: embed_openapi.py INPUT.yaml OUTPUT.cpp"""

import json
import pathlib
import sys

import yaml

# Compilers limit the length of string literals, but join adjacent ones.
LINE_BYTES = 100


class Loader(yaml.SafeLoader):
    """Loads dates as text, because JSON has no dates."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def literal(text):
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("?", "\\?")
    return f'    "{escaped}"'


def main():
    source, target = map(pathlib.Path, sys.argv[1:3])
    document = yaml.load(source.read_text(encoding="utf-8"), Loader)
    text = json.dumps(document, ensure_ascii=True, separators=(",", ":"))
    lines = [literal(text[start : start + LINE_BYTES]) for start in range(0, len(text), LINE_BYTES)]
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(
        f"// Made from {source.name} by tools/embed_openapi.py.\n"
        '#include "http/server/openapi.h"\n\n'
        "namespace finality::http {\n\n"
        "const std::string_view kOpenApiJson =\n" + "\n".join(lines) + ";\n\n"
        "}  // namespace finality::http\n"
    )


if __name__ == "__main__":
    main()
