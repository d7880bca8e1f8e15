"""Runs third-party SDKs (tests/interop). Each runs in a Node process that reads one JSON request per line and writes
one reply per line."""

import json
import os
import subprocess
import threading

from finality_server import ROOT

HOME = ROOT / "tests/interop"
INSTALLED = ROOT / "build/interop"
INSTALL_S = 300
ANSWER_S = 30


def install():
    """Installs the packages of the lock file of tests/interop. Needs the network only if a package is missing."""
    done = subprocess.run([ROOT / "tools/interop"], capture_output=True, text=True, timeout=INSTALL_S)
    assert done.returncode == 0, done.stderr


class Refused(Exception):
    """An exception that the SDK threw in the Node process, with its name, code and message."""

    def __init__(self, error):
        super().__init__(f"{error.get('name')} {error.get('code')}: {error.get('message')}")
        self.name = error.get("name")
        self.code = error.get("code")
        self.message = error.get("message")


class SdkProcess:
    """Node process that runs one script of tests/interop with one configuration. Not thread-safe. Call stop() at the
    end."""

    def __init__(self, script: str, config: dict = None):
        # Alipay's SDK writes local time, and Alipay reads it as China Standard Time.
        environment = os.environ | {"NODE_PATH": str(INSTALLED / "node_modules"), "TZ": "Asia/Shanghai"}
        self._process = subprocess.Popen(["node", HOME / script], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         env=environment, encoding="utf-8")
        if config is not None:
            self.ask("use", config=config)

    def ask(self, what, **arguments):
        """Calls the script's handler `what` and returns its result. Raises Refused if the handler throws."""
        self._process.stdin.write(json.dumps({"do": what} | arguments) + "\n")
        self._process.stdin.flush()
        watchdog = threading.Timer(ANSWER_S, self._process.kill)
        watchdog.start()
        line = self._process.stdout.readline()
        watchdog.cancel()
        assert line, f"the SDK did not respond within {ANSWER_S} s, or exited"
        answer = json.loads(line)
        if "error" in answer:
            raise Refused(answer["error"])
        return answer["value"]

    def stop(self):
        self._process.stdin.close()
        try:
            self._process.wait(ANSWER_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
