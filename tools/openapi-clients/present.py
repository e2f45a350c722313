"""The holder's part: answers a verification with the test wallet, and returns the response code."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def present(wallet_uri: str) -> str:
    command = [ROOT / "node_modules/.bin/node", "service/src/main.ts", "wallet", "present", wallet_uri, "--json"]
    answered = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    found = re.search(r"response_code=([\w-]+)", answered.stdout)
    assert found is not None, answered.stdout
    return found.group(1)
