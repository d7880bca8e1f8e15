"""Third-party generators create clients from openapi.yaml, and these clients can call the API."""

import os
import shutil
import subprocess

import pytest

from finality_server import ROOT
from interop_sdks import HOME, INSTALLED
from interop_site import installed  # noqa: F401

GENERATE_S = 120


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=GENERATE_S, **options)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout + done.stderr


def test_a_generated_python_client_creates_and_reads_an_order(shop, tmp_path):
    if not (INSTALLED / "installed-python").exists():
        pytest.skip("the generator could not be downloaded: see build/interop/pip.log")
    python = INSTALLED / "python/bin"
    config = tmp_path / "config.yaml"
    config.write_text("package_name_override: finality_client\npost_hooks: []\n")
    said = run(python / "openapi-python-client", "generate", "--path", ROOT / "openapi.yaml", "--config", config,
               "--output-path", tmp_path / "client", "--meta", "setup")
    assert "WARNING" not in said.upper() and "unable" not in said.lower(), said
    shown = run(python / "python", HOME / "openapi_client.py", shop.api.base_url, shop.api.headers["Authorization"].removeprefix("Bearer "), "generated-python",
                env=os.environ | {"PYTHONPATH": str(tmp_path / "client")})
    order = shop.api.get("/v1/orders?merchant_order_no=generated-python")["data"][0]
    assert shown.split() == [order["id"], "pending", "1999", "sandbox"]


def test_generated_typescript_types_compile(tmp_path):
    modules = INSTALLED / "node_modules"
    # Without the option, the generator would make request fields with a default required.
    run("node", modules / "openapi-typescript/bin/cli.js", ROOT / "openapi.yaml", "--default-non-nullable", "false",
        "--output", tmp_path / "openapi.d.ts")
    shutil.copy(HOME / "openapi_client.ts", tmp_path)
    run("node", modules / "typescript/bin/tsc", "--noEmit", "--strict", "--target", "es2022", "--module", "nodenext",
        "--lib", "es2022,dom", tmp_path / "openapi_client.ts")
