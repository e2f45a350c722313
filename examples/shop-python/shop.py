"""A shop that sells wine to people who are old enough. It gets the answer in three ways: its page reports a change and
the server reads the result; the wallet returns the browser with a code; a webhook arrives. Only the code shows that the
answer came through the browser that ordered. This shop also sells to a person who answers with another device, so it
takes the first of the three."""

from __future__ import annotations

import json
import os
import re
import secrets
import sys
import threading
from dataclasses import dataclass
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Callable, Dict, Optional

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "sdk" / "python"))  # or: pip install ./sdk/python

from vidimus import Verification, Vidimus, VidimusError, WebhookVerificationError, verify_webhook  # noqa: E402

PORT = int(os.environ.get("SHOP_PORT", "3000"))
#: The shop's own address. The service sends webhooks to a public address; on one machine `vidimus listen` forwards them.
ADDRESS = os.environ.get("SHOP_ADDRESS", f"http://localhost:{PORT}").rstrip("/")
IS_PUBLIC = "SHOP_ADDRESS" in os.environ
WEBHOOK_SECRET = os.environ["VIDIMUS_WEBHOOK_SECRET"]
vidimus = Vidimus(os.environ.get("VIDIMUS_URL", "http://localhost:8080"), os.environ["VIDIMUS_API_KEY"])

FILES = {
    "/shop.css": ("text/css", (HERE.parent / "shop" / "shop.css").read_bytes()),
    "/checkout.js": ("text/javascript", (HERE.parent / "hosted-checkout.js").read_bytes()),
}
POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; form-action 'self'; connect-src 'self'"
BODY_BYTES_MAX = 256 * 1024
WORDS = {
    "waiting": "Please show that you are 18 or older.",
    "sold": "Thank you! The bottle is yours.",
    "refused": "Sorry, we cannot sell you this.",
}


@dataclass
class Order:
    number: str
    verification: Verification
    state: str = "waiting"


#: Orders, only in memory, because this is an example. By session, so that no other browser sees an order; by number, for webhooks.
orders_by_session: Dict[str, Order] = {}
orders_by_number: Dict[str, Order] = {}
settling = threading.Lock()


def settle(order: Order, verification: Verification) -> None:
    """Settles an order once, because the same answer may arrive three times. "completed" does not mean yes: the claim decides."""
    with settling:
        if order.state != "waiting" or verification.id != order.verification.id or verification.status == "pending":
            return
        is_old_enough = verification.status == "completed" and verification.claims.get("age_over_18") is True
        order.state = "sold" if is_old_enough else "refused"


class Shop(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path in FILES:
            return self.answer(200, *FILES[self.path])
        self.route({"/": self.show_front, "/checkout": self.show_checkout, "/checkout/return": self.show_return})

    def do_POST(self) -> None:
        # Always reads the body, because unread bytes would be taken for the next request.
        length = int(self.headers.get("Content-Length") or 0)
        if length > BODY_BYTES_MAX:
            self.close_connection = True
            return self.answer(413)
        self.body = self.rfile.read(length)
        self.route(
            {
                "/checkout": self.place_order,
                "/checkout/check": self.read_result,
                "/checkout/redeem": self.redeem_code,
                "/webhooks": self.take_webhook,
            }
        )

    def route(self, routes: Dict[str, Callable[[], None]]) -> None:
        try:
            routes.get(self.path.split("?")[0], lambda: self.answer(404))()
        except VidimusError as error:
            # The reason is for the shop's log, not for the customer.
            print(error, file=sys.stderr)
            self.answer(502)

    def show_front(self) -> None:
        self.answer_page(
            """<p>A bottle of red, 9.90</p>
<p>We may sell it to you if you are 18 or older. Your wallet can tell us so, and nothing else.</p>
<form method="post" action="/checkout"><button>Buy</button></form>"""
        )

    def place_order(self) -> None:
        if not self.is_own_page():
            return self.answer(403)
        number, session = secrets.token_urlsafe(24), secrets.token_urlsafe(24)
        verification = vidimus.verifications.create(
            template="age_over_18",
            purpose="To sell you a bottle of wine",
            metadata={"order": number},
            redirect_url=f"{ADDRESS}/checkout/return",
            webhook_url=f"{ADDRESS}/webhooks" if IS_PUBLIC else None,
            idempotency_key=number,
        )
        orders_by_session[session] = orders_by_number[number] = Order(number, verification)
        secure = "; Secure" if ADDRESS.startswith("https:") else ""
        cookie = f"session={session}; HttpOnly; SameSite=Lax; Path=/{secure}"
        self.answer(303, headers={"Location": "/checkout", "Set-Cookie": cookie})

    def show_checkout(self) -> None:
        order = self.order()
        if order is None:
            return self.answer(303, headers={"Location": "/"})
        links = '<p><a href="/">Back to the shop</a></p>'
        if order.state == "waiting":
            hosted = vidimus.verifications.hosted_url(order.verification.id)
            links = f"""<p><a href="{escape(hosted)}">Scan a code with your wallet</a></p>
<p><a href="{escape(order.verification.wallet_uri or '')}">Open a wallet on this device</a></p>"""
        words = WORDS[order.state]
        self.answer_page(f'<p id="state" role="status" data-state="{order.state}">{words}</p>\n{links}')

    def show_return(self) -> None:
        """The page to which the wallet returns the browser. Its script submits the code and continues."""
        self.answer_page('<p id="state" role="status" data-returning>One moment…</p>')

    def read_result(self) -> None:
        """The browser only says when to check. Its statement about the outcome does not count."""
        order = self.order()
        if order is None or not self.is_own_page():
            return self.answer(403)
        settle(order, vidimus.verifications.get(order.verification.id))
        self.answer_state(order)

    def redeem_code(self) -> None:
        """The id comes from the session, the code from the browser. A shop that needs the same browser settles only here."""
        order = self.order()
        if order is None or not self.is_own_page():
            return self.answer(403)
        try:
            settle(order, vidimus.verifications.redeem(order.verification.id, self.body.decode("ascii", "replace")))
        except VidimusError as error:
            if error.code not in ("invalid_response_code", "invalid_request"):
                raise
            return self.answer(403)
        self.answer_state(order)

    def take_webhook(self) -> None:
        try:
            event = verify_webhook(self.body, self.headers.get("X-Service-Signature"), [WEBHOOK_SECRET])
        except WebhookVerificationError as error:
            return self.answer(400, "text/plain", error.code.encode())
        # The shop ignores types that are newer than this SDK.
        if event.verification is not None:
            order = orders_by_number.get(event.verification.metadata.get("order", ""))
            if order is not None:
                settle(order, event.verification)
        self.answer(204)

    def order(self) -> Optional[Order]:
        found = re.search(r"(?:^|; )session=([\w-]+)", self.headers.get("Cookie", ""))
        return None if found is None else orders_by_session.get(found[1])

    def is_own_page(self) -> bool:
        """No other site may act for the customer."""
        return self.headers.get("Origin") == ADDRESS

    def answer_state(self, order: Order) -> None:
        self.answer(200, "application/json", json.dumps({"state": order.state}).encode())

    def answer_page(self, body: str) -> None:
        page = f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="same-origin">
<title>Wine shop</title>
<link rel="stylesheet" href="/shop.css">
<script type="module" src="/checkout.js"></script>
</head>
<body><main><h1>Wine shop</h1>
{body}
</main></body>
</html>
"""
        self.answer(200, "text/html; charset=utf-8", page.encode())

    def answer(
        self, status: int, type: str = "text/plain", body: bytes = b"", headers: Optional[Dict[str, str]] = None
    ) -> None:
        self.send_response(status)
        told = {"Content-Type": type, "Content-Length": str(len(body)), "Cache-Control": "no-store"}
        for name, value in {**told, "Content-Security-Policy": POLICY, **(headers or {})}.items():
            if status != 204 or name not in ("Content-Type", "Content-Length"):
                self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Requests are not logged: addresses of customers are personal data."""


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", PORT), Shop)
    print(f"The shop is open at {ADDRESS}", flush=True)
    server.serve_forever()
