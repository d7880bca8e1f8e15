"""Shifts the wall clock of a server process, as a wrong time service does. The monotonic clocks are unchanged."""

import pathlib
import shutil
import struct
import subprocess


class ShiftedClock:
    """The wall clock of all processes that are started with `environment`. `directory` receives the preloaded library
    and the file with the shift."""

    def __init__(self, directory: pathlib.Path):
        self._file = directory / "shift"
        self.shift(0)
        library = directory / "shifted_clock.so"
        compiler = shutil.which("cc") or shutil.which("clang-19")
        source = pathlib.Path(__file__).with_name("shifted_clock.c")
        subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, source], check=True, timeout=60)
        self.environment = {"LD_PRELOAD": str(library), "SHIFTED_CLOCK": str(self._file)}

    def shift(self, seconds):
        """Sets the difference between the shifted clock and the right time."""
        if not self._file.exists():
            self._file.write_bytes(bytes(8))
        with self._file.open("r+b", buffering=0) as file:
            file.write(struct.pack("<q", seconds * 1000))
