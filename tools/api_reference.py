"""Renders an OpenAPI document as a single HTML page without scripts. The server embeds the page and serves it at
/docs."""

import html
import json
import re

STYLE = """
:root { color-scheme: light dark; --text: #1a202c; --quiet: #5b6472; --page: #fff; --panel: #f5f6f8; --edge: #e1e5ea; --accent: #1a56db; }
@media (prefers-color-scheme: dark) { :root { --text: #eceff4; --quiet: #a3adba; --page: #0e1116; --panel: #171c24; --edge: #2c3440; --accent: #7aa7ff; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 15px/1.6 system-ui, sans-serif; }
nav { position: fixed; inset: 0 auto 0 0; width: 280px; overflow-y: auto; padding: 20px; background: var(--panel); border-right: 1px solid var(--edge); font-size: 13px; }
nav h2 { margin: 16px 0 4px; font-size: 12px; text-transform: uppercase; letter-spacing: .05em; color: var(--quiet); }
nav a { display: block; padding: 1px 0; color: inherit; text-decoration: none; }
nav a:hover, main a { color: var(--accent); }
main { margin-left: 280px; padding: 24px 40px 80px; max-width: 980px; }
section { border-top: 1px solid var(--edge); margin-top: 32px; padding-top: 8px; }
h3 { margin: 20px 0 4px; font-size: 17px; }
h4 { margin: 16px 0 4px; font-size: 13px; color: var(--quiet); }
code, pre { font: 13px/1.5 ui-monospace, monospace; }
pre { padding: 12px; overflow-x: auto; background: var(--panel); border-radius: 8px; }
table { width: 100%; border-collapse: collapse; font-size: 14px; }
td, th { padding: 6px 8px; border-top: 1px solid var(--edge); text-align: left; vertical-align: top; }
td p { margin: 0; }
.method { display: inline-block; min-width: 58px; font-weight: 700; color: var(--accent); }
.required { color: #b42318; font-size: 12px; }
.quiet { color: var(--quiet); font-size: 13px; }
@media (max-width: 800px) {
  nav { position: static; width: auto; max-height: 40vh; border-right: 0; border-bottom: 1px solid var(--edge); }
  nav a { padding: 6px 0; }
  main { margin: 0; padding: 16px; overflow-wrap: anywhere; }
  table, tbody, tr, td { display: block; }
  tr { padding: 6px 0; border-top: 1px solid var(--edge); }
  td { padding: 2px 0; border-top: 0; }
}
"""
METHODS = ("get", "post", "put", "patch", "delete")


def prose(text):
    """Converts a description to HTML. Supports paragraphs, `code`, **bold** and [links](to)."""
    paragraphs = []
    for block in (text or "").strip().split("\n\n"):
        line = html.escape(" ".join(block.split()), quote=False)
        line = re.sub(r"`([^`]+)`", r"<code>\1</code>", line)
        line = re.sub(r"\*\*([^*]+)\*\*", r"<b>\1</b>", line)
        line = re.sub(r"\[([^\]]+)\]\((https?://[^)\s]+)\)", r'<a href="\2" rel="noopener">\1</a>', line)
        if line:
            paragraphs.append(f"<p>{line}</p>")
    return "\n".join(paragraphs)


class Reference:
    def __init__(self, document):
        self.document = document
        self.schemas = document["components"]["schemas"]

    def resolved(self, node):
        while "$ref" in node:
            target = self.document
            for part in node["$ref"].removeprefix("#/").split("/"):
                target = target[part]
            node = target | {key: value for key, value in node.items() if key != "$ref"}
        return node

    def type_of(self, schema):
        """Returns the type of a value as HTML, with a link if the type is a documented object."""
        if "$ref" in schema:
            name = schema["$ref"].rsplit("/", 1)[1]
            target = self.resolved(schema)
            if self.members(schema)[0]:
                return f'<a href="#schema-{name}">{name}</a>'
            return self.type_of(target)
        for key, word in (("oneOf", " or "), ("anyOf", " or "), ("allOf", " and ")):
            if key in schema:
                return word.join(self.type_of(one) for one in schema[key])
        if "const" in schema:
            return f"<code>{html.escape(json.dumps(schema['const']))}</code>"
        if "enum" in schema:
            return " | ".join(f"<code>{html.escape(str(value))}</code>" for value in schema["enum"])
        if schema.get("type") == "array":
            return f"list of {self.type_of(schema.get('items', {}))}"
        limits = [f"{name} {schema[key]}" for key, name in (
            ("minimum", "from"), ("maximum", "to"), ("minLength", "at least"), ("maxLength", "at most"),
            ("default", "default")) if key in schema]
        kind = schema.get("type", "any")
        kind = " or ".join(kind) if isinstance(kind, list) else kind
        return html.escape(kind + (f" ({', '.join(limits)})" if limits else ""))

    def members(self, schema):
        """Returns the properties and the set of required names of an object schema, including those of `allOf`."""
        schema = self.resolved(schema)
        properties, required = dict(schema.get("properties", {})), set(schema.get("required", []))
        for part in schema.get("allOf", []):
            more, needed = self.members(part)
            properties |= more
            required |= needed
        return properties, required

    def table(self, schema):
        properties, required = self.members(schema)
        rows = []
        for name, member in properties.items():
            mark = ' <span class="required">required</span>' if name in required else ""
            mark += ' <span class="quiet">operators</span>' if "x-audience" in member else ""
            rows.append(f"<tr><td><code>{html.escape(name)}</code>{mark}</td><td>{self.type_of(member)}</td>"
                        f"<td>{prose(self.resolved(member).get('description'))}</td></tr>")
        return f"<table>{''.join(rows)}</table>" if rows else ""

    def example(self, method, path, body):
        for media in body.get("content", {}).values():
            examples = [one["value"] for one in media.get("examples", {}).values() if "value" in one]
            if examples:
                data = json.dumps(examples[-1], ensure_ascii=False)
                return (f"<pre>curl -X {method.upper()} $API{path} -H \"Authorization: Bearer $KEY\" \\\n"
                        f"     -H 'Content-Type: application/json' \\\n     -d '{html.escape(data, quote=False)}'</pre>")
        return ""

    def operation(self, path, method, operation):
        anchor = operation["operationId"]
        parts = [f'<h3 id="{anchor}">{html.escape(operation["summary"])}</h3>',
                 f'<p><span class="method">{method.upper()}</span> <code>{html.escape(path)}</code></p>',
                 prose(operation.get("description"))]
        parameters = [self.resolved(one) for one in operation.get("parameters", [])]
        if parameters:
            rows = "".join(
                f"<tr><td><code>{html.escape(one['name'])}</code> <span class=\"quiet\">{one['in']}</span>"
                f"{' <span class=required>required</span>' if one.get('required') and one['in'] != 'path' else ''}</td>"
                f"<td>{self.type_of(one.get('schema', {}))}</td><td>{prose(one.get('description'))}</td></tr>"
                for one in parameters)
            parts.append(f"<h4>Parameters</h4><table>{rows}</table>")
        body = self.resolved(operation.get("requestBody", {}))
        for media in body.get("content", {}).values():
            parts.append(f"<h4>Body</h4>{self.table(media['schema'])}")
        parts.append(self.example(method, path, body))
        rows = []
        for status, response in operation["responses"].items():
            response = self.resolved(response)
            kinds = " or ".join(self.type_of(media["schema"]) for media in response.get("content", {}).values()
                                if "schema" in media)
            rows.append(f"<tr><td><code>{status}</code></td><td>{kinds}</td>"
                        f"<td>{prose(response.get('description'))}</td></tr>")
        parts.append(f"<h4>Responses</h4><table>{''.join(rows)}</table>")
        return "\n".join(parts)

    def page(self):
        by_tag = {tag["name"]: [] for tag in self.document["tags"]}
        for path, item in self.document["paths"].items():
            for method in (name for name in item if name in METHODS):
                operation = dict(item[method])
                operation["parameters"] = item.get("parameters", []) + operation.get("parameters", [])
                by_tag[operation["tags"][0]].append((path, method, operation))
        objects = [name for name, schema in self.schemas.items() if self.members(schema)[0]]
        nav, main = [], []
        for tag in self.document["tags"]:
            nav.append(f"<h2>{tag['name']}</h2>")
            main.append(f'<section><h2 id="tag-{tag["name"]}">{tag["name"].capitalize()}</h2>{prose(tag["description"])}')
            for path, method, operation in by_tag[tag["name"]]:
                nav.append(f'<a href="#{operation["operationId"]}">{html.escape(operation["summary"])}</a>')
                main.append(self.operation(path, method, operation))
            main.append("</section>")
        nav.append("<h2>objects</h2>")
        main.append("<section><h2>Objects</h2>")
        for name in objects:
            nav.append(f'<a href="#schema-{name}">{name}</a>')
            main.append(f'<h3 id="schema-{name}">{name}</h3>{prose(self.schemas[name].get("description"))}'
                        f"{self.table(self.schemas[name])}")
        main.append("</section>")
        info = self.document["info"]
        return (f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
                f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
                f"<title>{info['title']} API reference</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
                f"<nav><b>{info['title']} API</b> <span class=\"quiet\">{info['version']}</span>\n" + "\n".join(nav)
                + f"\n</nav>\n<main>\n<h1>{info['title']} API reference</h1>\n<p>{html.escape(info['summary'])} "
                  "The same contract for programs: <a href=\"/openapi.json\">openapi.json</a>.</p>\n"
                + prose(info["description"]) + "\n" + "\n".join(main) + "\n</main>\n</body>\n</html>\n")
