"""Calls every route like a merchant's program. ``service/test/sdk`` starts it and acts as the wallet; both exchange lines of
JSON."""

from __future__ import annotations

import json
import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any, Callable, Dict, List, Optional, Tuple, Type
from urllib.parse import urlsplit

import vidimus
from vidimus import Verification, Vidimus, WebhookVerificationError, verify_webhook

URL = os.environ["VIDIMUS_URL"]
KEY = os.environ["VIDIMUS_API_KEY"]
SECRET = os.environ["VIDIMUS_WEBHOOK_SECRET"]


def tell(**what: Any) -> None:
    print(json.dumps(what), flush=True)


def ask(what: str, **more: Any) -> Dict[str, Any]:
    tell(ask=what, **more)
    return json.loads(sys.stdin.readline())  # type: ignore[no-any-return]


def check(fact: bool, what: object = "") -> None:
    if not fact:
        raise AssertionError(what)


def refused(kind: Type[vidimus.VidimusError], code: str, status: int, act: Callable[[], object]) -> vidimus.VidimusError:
    try:
        act()
    except vidimus.VidimusError as error:
        check(type(error) is kind and error.code == code and error.status == status, repr(error))
        check((error.request_id or "").startswith("req_"), error.request_id)
        return error
    raise AssertionError(f"{code} was to be raised")


client = Vidimus(URL, KEY)


def create_and_wait() -> Tuple[Verification, str]:
    order: Dict[str, Any] = {
        "template": "age_over_18",
        "purpose": "To sell you wine",
        "metadata": {"order": "17"},
        "redirect_url": "https://shop.example/done",
        "idempotency_key": "order-17",
    }
    created = client.verifications.create(**order)
    check(created.status == "pending" and created.purpose == "To sell you wine", created)
    check(client.verifications.create(**order).id == created.id, "the same key is the same verification")
    refused(
        vidimus.InvalidRequestError,
        "idempotency_key_reused",
        422,
        lambda: client.verifications.create(template="identity", idempotency_key="order-17"),
    )
    page = ask("open", url=client.verifications.hosted_url(created.id))
    check(page["status"] == 200 and page["type"].startswith("text/html"), page)
    tell(did="create")

    # The holder answers while we pause between two polls.
    redirects: List[str] = []

    def answer_meanwhile(_seconds: float) -> None:
        if not redirects:
            redirects.append(ask("present", wallet_uri=created.wallet_uri)["redirect_uri"])

    result = Vidimus(URL, KEY, sleep=answer_meanwhile).verifications.wait_for_result(created.id)
    check(len(redirects) == 1 and result.status == "completed", result)
    check(result.claims == {"age_over_18": True} and result.metadata == {"order": "17"}, result)
    check(result.credentials[0].trusted and result.credentials[0].signature_valid, result)
    tell(did="wait")
    return result, urlsplit(redirects[0]).fragment.replace("response_code=", "")


def redeem_and_read(result: Verification, code: str) -> None:
    check(client.verifications.redeem(result.id, code) == result)
    refused(
        vidimus.NotFoundError, "invalid_response_code", 404, lambda: client.verifications.redeem(result.id, code)
    )
    tell(did="redeem")
    check(client.verifications.get(result.id) == result)
    check(client.verifications.status(result.id).status == "completed")
    tell(did="read")
    check(client.verifications.receipt(result.id).count(".") == 2)
    ask("grow")
    check(client.verifications.receipt_proof(result.id).startswith("c2sp.org/tlog-proof@v1\n"))
    diagnostics = client.verifications.diagnostics(result.id)
    check(diagnostics.channel == "redirect" and diagnostics.status == "completed", diagnostics)
    outcomes = {one.check: one.outcome for credential in diagnostics.credentials or () for one in credential.checks}
    check(outcomes.get("issuer_trusted") == "passed", diagnostics)
    tell(did="diagnostics")
    refused(vidimus.NotFoundError, "evidence_not_found", 404, lambda: client.verifications.collect_evidence(result.id))
    tell(did="evidence")


def list_and_cancel(result: Verification) -> None:
    made = [client.verifications.create(template="age_over_18").id for _ in range(4)]
    expected = list(reversed(made)) + [result.id]
    for page_size in (1, 2, 5, 100):
        check([v.id for v in client.verifications.all(page_size=page_size)] == expected, page_size)
    check([v.id for v in client.verifications.list(limit=1)] == expected[:1])
    named = client.verifications.create(template="age_over_16", metadata={"reference": "Order 8642"}).id
    check([v.id for v in client.verifications.list(template="age_over_16")] == [named])
    check([v.id for v in client.verifications.all(template="age_over_16")] == [named])
    check([v.id for v in client.verifications.list(reference="8642", status="pending")] == [named])
    check(client.verifications.list(reference="8642", status="failed") == [])
    tell(did="list")
    check(client.verifications.cancel(made[0]).status == "expired")
    check(client.verifications.cancel(made[0]).status == "expired", "cancelling twice is not an error")
    refused(
        vidimus.ConflictError, "session_already_responded", 409, lambda: client.verifications.cancel(result.id)
    )
    tell(did="cancel")


def links() -> None:
    made = client.links.create(template="age_over_18", uses=None, metadata={"order": "4711"}, idempotency_key="link-1")
    again = client.links.create(template="age_over_18", uses=None, metadata={"order": "4711"}, idempotency_key="link-1")
    check(made.url == again.url and "/l/" in made.url and made.url not in repr(made))
    check(made.link.uses is None and made.link.opened == 0)
    check(client.links.create(template="age_over_18").link.uses == 1)
    check(client.links.get(made.link.id) == made.link)
    check(any(link.id == made.link.id for link in client.links.list(limit=10)))
    check(client.links.revoke(made.link.id).state == "revoked")
    refused(vidimus.NotFoundError, "link_not_found", 404, lambda: client.links.get("lnk_unknown"))
    tell(did="links")


def devices() -> None:
    registered = client.devices.register(name="Till 9", allowed_templates=["age_over_18"])
    pair = client.devices.enroll(registered.pairing_code)
    check(pair.device.status == "active", pair)
    following = client.devices.refresh(pair.refresh_token)
    till = Vidimus(URL, following.access_token)
    created = till.verifications.create(template="age_over_18")
    refused(vidimus.PermissionDeniedError, "insufficient_scope", 403, lambda: till.verifications.erase(created.id))
    check([t.key for t in till.templates().data] == ["age_over_18"])
    check(any(device.id == registered.device.id for device in client.devices.list()))
    check(client.devices.revoke(registered.device.id).status == "revoked")
    check(client.devices.revoke(registered.device.id).status == "revoked", "revoking twice is not an error")
    refused(vidimus.AuthenticationError, "invalid_api_key", 401, lambda: till.verifications.get(created.id))
    tell(did="devices")
    usage = client.usage()
    check(usage.verifications_created == 7 and usage.remaining == usage.daily_quota - 7, usage)
    check(client.templates().environment == "test")
    tell(did="usage")


def refusals(result: Verification) -> None:
    stranger = Vidimus(URL, "vk_test_" + "0" * 38)
    refused(vidimus.AuthenticationError, "invalid_api_key", 401, stranger.usage)
    refused(vidimus.NotFoundError, "session_not_found", 404, lambda: client.verifications.get("ver_unknown"))
    create = client.verifications.create
    refused(vidimus.InvalidRequestError, "unknown_template", 422, lambda: create(template="no_such"))
    refused(vidimus.InvalidRequestError, "invalid_request", 400, lambda: create(template="age_over_18", ttl_seconds=1))
    poor = Vidimus(URL, os.environ["VIDIMUS_POOR_API_KEY"])
    spent = refused(
        vidimus.QuotaExceededError, "quota_exceeded", 429, lambda: poor.verifications.create(template="age_over_18")
    )
    check((spent.retry_after or 0) > 3600, spent.retry_after)
    tell(did="refusals")

    def poll_too_often(one: Vidimus) -> None:
        for _ in range(int(os.environ["VIDIMUS_POLLS"]) + 1):
            one.verifications.status(result.id)

    limited = refused(
        vidimus.RateLimitError, "rate_limit_exceeded", 429, lambda: poll_too_often(Vidimus(URL, KEY, retries=0))
    )
    check((limited.retry_after or 0) >= 1, limited.retry_after)
    # A client that waits for as long as the service asks succeeds.
    waits: List[float] = []

    def wait(seconds: float) -> None:
        waits.append(seconds)
        ask("advance", seconds=seconds)

    check(Vidimus(URL, KEY, sleep=wait).verifications.status(result.id).status == "completed")
    check(len(waits) == 1 and waits[0] >= 1, waits)
    tell(did="retry-after")


def tls() -> None:
    def usage_at(name: str) -> Callable[[], object]:
        return lambda: Vidimus(os.environ[name], KEY, retries=0).usage()

    refused(vidimus.AuthenticationError, "invalid_api_key", 401, usage_at("VIDIMUS_TRUSTED_URL"))
    for name in ("VIDIMUS_UNTRUSTED_URL", "VIDIMUS_MISNAMED_URL"):
        try:
            usage_at(name)()
        except vidimus.ConnectionFailedError as error:
            check("SSLCertVerificationError" in error.message, error)
        else:
            raise AssertionError(f"{name} was trusted")
    tell(did="tls")


class Receiver:
    """A minimal webhook endpoint."""

    def __init__(self) -> None:
        self.received: List[Tuple[bytes, Optional[str]]] = []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.received.append((body, self.headers.get("X-Service-Signature")))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                """Quiet."""

        self._server = HTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/hook"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def refused_webhook(code: str, body: bytes, header: Optional[str], secret: str, now: float) -> None:
    try:
        verify_webhook(body, header, secret, now=now)
    except WebhookVerificationError as error:
        check(error.code == code, error)
        return
    raise AssertionError(f"{code} was to be raised")


def webhooks() -> None:
    receiver = Receiver()

    def answered(scenario: str) -> Tuple[Verification, bytes, Optional[str], int]:
        created = client.verifications.create(template="age_over_18", webhook_url=receiver.url)
        ask("present", wallet_uri=created.wallet_uri, scenario=scenario)
        delivery = ask("deliver")
        check(delivery["delivered"] == 1, delivery)
        return (client.verifications.get(created.id), *receiver.received[-1], delivery["now"])

    read, body, header, now = answered("good")
    event = verify_webhook(body, header, [SECRET], now=now)
    check(event.type == "verification.completed" and event.verification == read, event)
    refused_webhook("no_signature_matches", body.replace(b"true", b"True"), header, SECRET, now)
    refused_webhook("outside_tolerance", body, header, SECRET, now + 301)
    refused_webhook("missing_header", body, None, SECRET, now)
    declined, other_body, other_header, now = answered("declined")
    check(verify_webhook(other_body, other_header, SECRET, now=now).type == "verification.failed", declined)
    check(declined.error is not None and declined.error.code == "wallet_declined", declined)
    # A genuine signature with another genuine body, and a replayed request.
    refused_webhook("no_signature_matches", other_body, header, SECRET, now)
    refused_webhook("outside_tolerance", body, header, SECRET, ask("advance", seconds=3600)["now"])
    tell(did="webhook")

    fresh = ask("rotate")["secret"]
    _, body, header, now = answered("good")
    check(header is not None and header.count("v1=") == 2, header)
    for secrets in ([fresh], [SECRET], [fresh, SECRET]):
        check(verify_webhook(body, header, secrets, now=now).is_known)
    tell(did="rotation")
    receiver.close()


def erase(result: Verification) -> None:
    check(client.verifications.erase(result.id).deleted["verification_sessions"] == 1)
    refused(vidimus.NotFoundError, "session_not_found", 404, lambda: client.verifications.get(result.id))
    tell(did="erase")


if __name__ == "__main__":
    done, response_code = create_and_wait()
    redeem_and_read(done, response_code)
    list_and_cancel(done)
    links()
    devices()
    refusals(done)
    tls()
    webhooks()
    erase(done)
