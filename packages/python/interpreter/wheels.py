"""Unpacks wheels, without a network. A module of the interpreter, `_wheels`."""

import email
import importlib
import io
import json
import re
import sys
import zipfile

SITE = next(path for path in sys.path if path.endswith("site-packages"))


def install(content):
    """Unpacks a wheel into site-packages and answers with what it requires, as JSON."""
    with zipfile.ZipFile(io.BytesIO(content.to_bytes())) as wheel:
        metadata = next((name for name in wheel.namelist() if re.fullmatch(r"[^/]+\.dist-info/METADATA", name)), None)
        if metadata is None:
            raise zipfile.BadZipFile("there is no METADATA in it")
        requires = email.message_from_bytes(wheel.read(metadata)).get_all("Requires-Dist") or []
        wheel.extractall(SITE)
    importlib.invalidate_caches()
    return json.dumps([str(line) for line in requires])
