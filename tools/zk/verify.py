#!/usr/bin/env python3
"""Checks zero-knowledge proofs about mdocs for Vidimus: the reference helper of docs/zk-verifier.md.

Reads one JSON object a line from standard input and answers each with one on standard output. Needs `pylongfellow`
and a folder of circuits, each a file named by its hash:

    verify.py /opt/zk/circuits

A circuit counts only if its own bytes have that hash: what is in the folder need not be trusted.
"""

import base64
import json
import re
import sys
from datetime import UTC, datetime
from pathlib import Path

from pylongfellow import Pylongfellow
from pylongfellow.backends.google_cpp import circuit_id, find_zk_spec
from pylongfellow.mdoc import PublicKey, RequestedAttribute, VerifierError

HASH = re.compile(r"[0-9a-f]{64}")


class Unknown(Exception):
    """The helper does not have the circuit."""


class Verifiers:
    """Loads each requested circuit once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.loaded: dict[str, tuple[Pylongfellow, int]] = {}

    def find(self, system: str, circuit_hash: str) -> tuple[Pylongfellow, int]:
        if circuit_hash not in self.loaded:
            self.loaded[circuit_hash] = self.load(system, circuit_hash)
        return self.loaded[circuit_hash]

    def load(self, system: str, circuit_hash: str) -> tuple[Pylongfellow, int]:
        path = self.folder / circuit_hash
        spec = find_zk_spec(system, circuit_hash) if HASH.fullmatch(circuit_hash) else None
        if spec is None or not path.is_file():
            raise Unknown
        circuit = path.read_bytes()
        if circuit_id(circuit) != circuit_hash:
            raise Unknown
        longfellow = Pylongfellow(backend="google-cpp")
        longfellow.load_circuit(circuit, spec.version, spec.num_attributes)
        return longfellow, spec.num_attributes


def answer(verifiers: Verifiers, asked: dict) -> str:
    try:
        longfellow, attributes = verifiers.find(asked["system"], asked["circuit_hash"])
    except Unknown:
        return "unavailable"
    claims = [
        RequestedAttribute(claim["namespace"], claim["element"], base64.b64decode(claim["value"], validate=True))
        for claim in asked["claims"]
    ]
    # The library stops the process if these numbers differ.
    if len(claims) != attributes:
        return "invalid"
    key = asked["issuer_key"]
    try:
        longfellow.verify(
            PublicKey(int(key["x"], 16), int(key["y"], 16)),
            base64.b64decode(asked["transcript"], validate=True),
            claims,
            datetime.strptime(asked["timestamp"], "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC),
            base64.b64decode(asked["proof"], validate=True),
            asked["doc_type"],
            device_namespaces=b"\xa0",
        )
    except (VerifierError, ValueError):
        return "invalid"
    return "valid"


def main() -> None:
    verifiers = Verifiers(Path(sys.argv[1]))
    for line in sys.stdin:
        asked = json.loads(line)
        print(json.dumps({"id": asked["id"], "answer": answer(verifiers, asked)}), flush=True)


if __name__ == "__main__":
    main()
