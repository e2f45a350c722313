#!/usr/bin/env python3
"""Makes zero-knowledge proofs about mdocs for the tests. `verify.py` checks them.

Reads one JSON object from standard input and writes the proof in base64 to standard output. Needs `pylongfellow`.
"""

import base64
import json
import sys
from datetime import UTC, datetime
from pathlib import Path

from pylongfellow import Pylongfellow
from pylongfellow.backends.google_cpp import find_zk_spec
from pylongfellow.mdoc import PublicKey, RequestedAttribute


def main() -> None:
    asked = json.load(sys.stdin)
    spec = find_zk_spec(asked["system"], asked["circuit_hash"])
    longfellow = Pylongfellow(backend="google-cpp")
    circuit = (Path(asked["circuits"]) / asked["circuit_hash"]).read_bytes()
    longfellow.load_circuit(circuit, spec.version, spec.num_attributes)
    proof = longfellow.prove(
        base64.b64decode(asked["mdoc"]),
        PublicKey(int(asked["issuer_key"]["x"], 16), int(asked["issuer_key"]["y"], 16)),
        base64.b64decode(asked["transcript"]),
        [
            RequestedAttribute(claim["namespace"], claim["element"], base64.b64decode(claim["value"]))
            for claim in asked["claims"]
        ],
        datetime.strptime(asked["timestamp"], "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC),
    )
    print(base64.b64encode(proof).decode())


if __name__ == "__main__":
    main()
