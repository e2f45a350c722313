"""Verifies that a webhook is genuine, recent and unchanged (interface specification part 6)."""

from __future__ import annotations

import hashlib
import hmac
import json
import math
import re
import time
from dataclasses import dataclass, field
from typing import Any, Iterable, List, Mapping, Optional, Tuple, Union

from .models import MalformedAnswer, Verification, read_verification

# event types, written by "node tools/generate-event-types.ts"
#: The types that this version knows. Other events have only their ``payload``.
WEBHOOK_EVENT_TYPES = (
    "verification.completed",
    "verification.failed",
)
# end of event types


@dataclass(frozen=True)
class WebhookEvent:
    type: str
    #: What ``verifications.get`` would have returned then; ``None`` for a type that this library does not know.
    verification: Optional[Verification]
    sent_at: Optional[str]
    #: The whole body, as parsed.
    payload: Mapping[str, Any] = field(repr=False)

    @property
    def is_known(self) -> bool:
        """``False`` if this library does not know the type. Answer it with a 2xx and ignore it."""
        return self.verification is not None


class WebhookVerificationError(Exception):
    """Answer the request with 400. ``code`` is stable, the message is for your log."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(code, message)
        #: ``invalid_secret``, ``invalid_body``, ``missing_header``, ``malformed_header``, ``outside_tolerance``,
        #: ``no_signature_matches`` or ``malformed_payload``.
        self.code = code
        self.message = message

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


Secrets = Union[str, Iterable[Optional[str]], None]


def verify_webhook(
    raw_body: Union[bytes, str],
    header: Optional[str],
    secrets: Secrets,
    *,
    tolerance: float = 300,
    now: Optional[float] = None,
) -> WebhookEvent:
    """Returns the event if one of the secrets signed exactly these bytes within the tolerance; raises
    ``WebhookVerificationError`` otherwise.

    Pass the raw body, the value of ``X-Service-Signature`` and all your valid secrets: during a rotation the service signs
    with both. ``tolerance`` is the largest difference, in seconds, between the time of the signature and ``now`` (seconds
    since the epoch; default: the system clock). A replayed request passes within it: act once on each
    ``type`` and ``verification.id``. ``X-Service-Delivery`` is not signed.
    """
    keys = _check_secrets(secrets)
    body = _bytes_of(raw_body)
    timestamp, candidates = _parse_header(header)
    _check_time(timestamp, tolerance, now)
    expected = [_signature(key, timestamp, body).encode() for key in keys]
    # Compares every signature in constant time, and does not stop at a match.
    matches = 0
    for candidate in candidates:
        for wanted in expected:
            matches |= hmac.compare_digest(candidate.encode("utf-8", "surrogateescape"), wanted)
    if not matches:
        raise WebhookVerificationError(
            "no_signature_matches",
            "No signature matches. Either the secret is another one (of the other environment, or rotated more than 24 "
            "hours ago), or the body is not the raw body: pass the bytes as received, before any JSON parser has parsed "
            "and rewritten them.",
        )
    return _parse_payload(body)


def sign_webhook(raw_body: Union[bytes, str], secrets: Secrets, *, now: Optional[float] = None) -> str:
    """Signs like the service, for your tests. Pass several secrets newest first, as during a rotation."""
    keys = _check_secrets(secrets)
    body = _bytes_of(raw_body)
    timestamp = str(math.floor(time.time() if now is None else now))
    return ",".join([f"t={timestamp}"] + [f"v1={_signature(key, timestamp, body)}" for key in keys])


def _check_secrets(secrets: Secrets) -> List[str]:
    """An unset variable must not become an empty key: anyone could sign with it."""
    given = [secrets] if isinstance(secrets, str) or secrets is None else list(secrets)
    if not given:
        raise WebhookVerificationError("invalid_secret", "No secret was given.")
    valid = [one for one in given if isinstance(one, str) and re.fullmatch(r"whsec_[\x21-\x7e]+", one)]
    if len(valid) != len(given):
        raise WebhookVerificationError(
            "invalid_secret",
            'A webhook secret begins with "whsec_" and contains no white space. Is the variable set, and without a line end?',
        )
    return valid


def _bytes_of(raw_body: Union[bytes, str]) -> bytes:
    if isinstance(raw_body, (bytes, bytearray, memoryview)):
        return bytes(raw_body)
    if isinstance(raw_body, str):
        try:
            return raw_body.encode("utf-8")
        except UnicodeEncodeError:
            pass
    raise WebhookVerificationError(
        "invalid_body",
        "The body must be the raw bytes or the raw text of the request, not an object that was parsed from it.",
    )


def _parse_header(header: Optional[str]) -> Tuple[str, List[str]]:
    """Elements other than ``t`` and ``v1`` are ignored: later versions may add some."""
    if header is None or header == "":
        raise WebhookVerificationError("missing_header", "The header X-Service-Signature is missing.")
    if not isinstance(header, str):
        raise _malformed("it is not one line of text")
    elements = [element.strip(" \t") for element in header.split(",")]
    timestamps = [element[2:] for element in elements if element.startswith("t=")]
    signatures = [element[3:] for element in elements if element.startswith("v1=")]
    if not timestamps:
        raise _malformed("it has no t")
    if len(timestamps) > 1:
        raise _malformed("it has more than one t")
    if re.fullmatch(r"0|[1-9][0-9]{0,14}", timestamps[0], re.ASCII) is None:
        raise _malformed("t is not a number of seconds")
    if not signatures:
        raise _malformed("it has no v1")
    return timestamps[0], signatures


def _malformed(why: str) -> WebhookVerificationError:
    return WebhookVerificationError(
        "malformed_header",
        f'The header X-Service-Signature is malformed: {why}. It looks like "t=1700000000,v1=<64 hexadecimal digits>".',
    )


def _check_time(timestamp: str, tolerance: float, now: Optional[float]) -> None:
    """Checks both directions: with a time far in the future, a signature would stay valid for long."""
    if not (math.isfinite(tolerance) and tolerance >= 0):
        raise ValueError("tolerance must be a number of seconds, 0 or more")
    signed = int(timestamp)
    current = math.floor(time.time() if now is None else now)
    apart = abs(current - signed)
    if apart > tolerance:
        raise WebhookVerificationError(
            "outside_tolerance",
            f"The signature was made at t={signed}, and it is now {current}: {apart} seconds "
            f"{'ago' if signed < current else 'ahead'}, and {tolerance:g} are tolerated. Is the clock of this machine "
            "right? If so, this may be a replayed request.",
        )


def _signature(secret: str, timestamp: str, body: bytes) -> str:
    """Lower-case hex HMAC-SHA256 over ``<t>.`` and the body; the key is the whole secret, prefix included."""
    return hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()


def _parse_payload(body: bytes) -> WebhookEvent:
    try:
        payload = json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError):
        raise _no_event() from None
    if not isinstance(payload, dict) or not isinstance(payload.get("type"), str) or payload["type"] == "":
        raise _no_event()
    name, sent_at = payload["type"], payload.get("sent_at")
    if name not in WEBHOOK_EVENT_TYPES:
        return WebhookEvent(name, None, sent_at if isinstance(sent_at, str) else None, payload)
    if not isinstance(sent_at, str):
        raise _no_event()
    try:
        return WebhookEvent(name, read_verification(payload.get("verification")), sent_at, payload)
    except MalformedAnswer:
        raise _no_event() from None


def _no_event() -> WebhookVerificationError:
    return WebhookVerificationError("malformed_payload", "The signature is right, but the body is not an event.")
