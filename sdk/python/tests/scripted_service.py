"""A service with scripted answers over real connections. It records the requests."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Dict, List, Optional


@dataclass
class Answer:
    status: int = 200
    body: Any = None
    headers: Dict[str, str] = field(default_factory=dict)
    #: Sent unchanged, instead of ``body``.
    text: Optional[bytes] = None
    #: The connection breaks instead.
    broken: bool = False
    #: The request is read and never answered, until the test ends.
    silent: bool = False
    #: Sends single bytes slowly, without end.
    drips: bool = False
    #: The connection breaks in the middle of the body.
    cut: bool = False


@dataclass
class ReceivedRequest:
    method: str
    path: str
    headers: Dict[str, str]
    body: Any


class ScriptedService:
    def __init__(self) -> None:
        self.script: List[Answer] = []
        self.requests: List[ReceivedRequest] = []
        self._ended = threading.Event()
        service = self

        class Handler(BaseHTTPRequestHandler):
            def handle_any(self) -> None:
                text = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                headers = {name.lower(): value for name, value in self.headers.items()}
                service.requests.append(ReceivedRequest(self.command, self.path, headers, json.loads(text) if text else None))
                answer = service.script.pop(0)
                if answer.silent:
                    service._ended.wait()
                if answer.broken or answer.silent:
                    self.close_connection = True
                    return
                body = json.dumps(answer.body).encode() if answer.text is None else answer.text
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(1_000_000 if answer.drips else len(body)))
                self.end_headers()
                self.wfile.write(body[:-1] if answer.cut else body)
                while answer.drips and not service._ended.wait(0.01):
                    try:
                        self.wfile.write(b" ")
                    except OSError:
                        return

            do_GET = do_POST = do_DELETE = handle_any

            def log_message(self, *_: Any) -> None:
                """Writes no log."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        self._ended.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def verification(**change: Any) -> Dict[str, Any]:
    return {"id": "ver_1", "status": "pending", "created_at": "2027-06-15T12:00:00.000001Z", "expires_at": "x", **change}


def refused(status: int, code: str, **headers: str) -> Answer:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status, {"error": {"code": code, "message": "no"}}, named)
