"""Calls the routes of verifications: create, wait, read, redeem, cancel, list, erase."""

from __future__ import annotations

import re
import uuid
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence
from urllib.parse import quote

from .errors import ErrorCode, TimedOutError, VidimusError
from .models import (
    ErasureResult,
    EvidenceDelivery,
    MalformedAnswer,
    Verification,
    VerificationDiagnostics,
    VerificationStatus,
    read_diagnostics,
    read_erasure,
    read_evidence,
    read_status,
    read_verification,
    read_verification_list,
)
from .transport import Transport

_BASE = "/v1/verifications"
_FIRST_PAUSE = 1.0
_PAUSE_MAX = 5.0
_GROWTH = 1.25


class Verifications:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        *,
        template: Optional[str] = None,
        query: Optional[Mapping[str, Any]] = None,
        purpose: Optional[str] = None,
        metadata: Optional[Mapping[str, str]] = None,
        ttl_seconds: Optional[int] = None,
        redirect_url: Optional[str] = None,
        webhook_url: Optional[str] = None,
        origin: Optional[str] = None,
        intended_use: Optional[str] = None,
        browser_binding: Optional[str] = None,
        transaction: Optional[Sequence[Mapping[str, Any]]] = None,
        idempotency_key: Optional[str] = None,
    ) -> Verification:
        """Creates a verification, with exactly one of ``template`` and ``query``.

        An ``idempotency_key`` of your own, such as the order number, prevents duplicates after a crash or a double click.
        Without one, each call creates a new verification; the retries within a call do not. ``intended_use`` selects the
        registration certificate, if the template does not. ``browser_binding`` is ``first`` (only the first browser that
        opens the hosted page can use it) or ``none``; absent: your setting. ``transaction`` is what the holder must
        confirm.
        """
        if (template is None) == (query is None):
            raise ValueError("give exactly one of template and query")
        key = str(uuid.uuid4()) if idempotency_key is None else idempotency_key
        if re.fullmatch(r"[\x21-\x7e]{1,255}", key) is None:
            raise ValueError("an idempotency key is 1 to 255 printable ASCII characters without spaces")
        given: Dict[str, Any] = {
            "template": template,
            "query": query,
            "purpose": purpose,
            "metadata": metadata,
            "ttl_seconds": ttl_seconds,
            "redirect_url": redirect_url,
            "webhook_url": webhook_url,
            "origin": origin,
            "intended_use": intended_use,
            "browser_binding": browser_binding,
            "transaction": transaction,
        }
        body = {name: value for name, value in given.items() if value is not None}
        return self._transport.send("POST", _BASE, read_verification, body=body, idempotency_key=key, repeatable=True)

    def get(self, id: str) -> Verification:
        return self._transport.send("GET", _path(id), read_verification, repeatable=True)

    def status(self, id: str) -> VerificationStatus:
        """Reads only the status. It needs no key and never contains claims."""
        return self._transport.send("GET", f"{_path(id)}/status", read_status, repeatable=True, anonymous=True)

    def wait_for_result(self, id: str, *, timeout: float = 65 * 60) -> Verification:
        """Polls with backoff until the verification is no longer pending, then reads it. With a webhook you need no polling.

        Raises ``TimedOutError`` if it is still pending after ``timeout`` seconds. By the default, every verification has
        ended.
        """
        _path(id)
        end = self._transport.clock() + timeout
        pause = _FIRST_PAUSE
        while True:
            wait = self._pause_before_next_poll(id, pause)
            if wait is None:
                return self.get(id)
            if self._transport.clock() + wait > end:
                raise TimedOutError(ErrorCode.TIMEOUT, f"Still pending after {timeout:g} seconds.")
            self._transport.sleep(wait)
            pause = min(_PAUSE_MAX, pause * _GROWTH)

    def _pause_before_next_poll(self, id: str, pause: float) -> Optional[float]:
        """``None`` when it has ended.

        Treats network errors, 429 and 5xx as pending, so a short outage does not end the wait.
        """
        try:
            return pause if self.status(id).status == "pending" else None
        except VidimusError as error:
            if error.status is None or error.status == 429 or error.status >= 500:
                return max(pause, error.retry_after or 0)
            raise

    def redeem(self, id: str, response_code: str) -> Verification:
        """Exchanges the ``response_code`` of a redirect, once. It is not retried, because a used code stays used."""
        body = {"response_code": response_code}
        return self._transport.send("POST", f"{_path(id)}/redeem", read_verification, body=body, repeatable=False)

    def cancel(self, id: str) -> Verification:
        """Ends a pending verification: its status becomes ``expired``. If it was answered: ``ConflictError``."""
        return self._transport.send("POST", f"{_path(id)}/cancel", read_verification, repeatable=True)

    def forget(self, id: str) -> Verification:
        """Deletes the claims and credentials of a verification, and keeps its record."""
        return self._transport.send("POST", f"{_path(id)}/forget", read_verification, repeatable=True)

    def verdict(self, id: str) -> Optional[str]:
        """``yes`` or ``no``, even if the result is encrypted to you; ``None``: not completed, no template, or forgotten."""
        return self._transport.send("GET", f"{_path(id)}/verdict", _read_verdict, repeatable=True)

    def receipt(self, id: str) -> str:
        """The signed receipt (a JWS) of a verification that has ended, even after its erasure."""
        return self._transport.send("GET", f"{_path(id)}/receipt", _read_receipt, repeatable=True, as_text=True)

    def certificate(self, id: str, *, language: Optional[str] = None) -> bytes:
        """A one-page PDF certificate without personal data. In the first minute: ``unavailable``."""
        path = f"{_path(id)}/certificate"
        query = {"language": language}
        return self._transport.send("GET", path, _read_pdf, query=query, repeatable=True, as_text=True)

    def receipt_proof(self, id: str) -> str:
        """The file that proves that the receipt is in the public log. In the first minute: ``unavailable``."""
        path = f"{_path(id)}/receipt.tlog-proof"
        return self._transport.send("GET", path, _read_proof, repeatable=True, as_text=True)

    def collect_evidence(self, id: str) -> EvidenceDelivery:
        """The evidence bundle, encrypted to you, if your operator has turned it on. Returned once, so not retried."""
        return self._transport.send("POST", f"{_path(id)}/evidence", read_evidence, repeatable=False)

    def transaction(self, id: str) -> Optional[List[Mapping[str, Any]]]:
        """What the holder was asked to confirm, as it was sent, and whether exactly this was signed (``confirmed``); ``None``:
        forgotten."""
        return self._transport.send("GET", f"{_path(id)}/transaction", _read_transaction, repeatable=True)

    def diagnostics(self, id: str) -> VerificationDiagnostics:
        """The channel of the answer and the outcome of each check, without claims."""
        return self._transport.send("GET", f"{_path(id)}/diagnostics", read_diagnostics, repeatable=True)

    def list(
        self,
        *,
        limit: Optional[int] = None,
        before: Optional[str] = None,
        status: Optional[str] = None,
        template: Optional[str] = None,
        reference: Optional[str] = None,
    ) -> List[Verification]:
        """One page, newest first. For the next page, pass the ``created_at`` of the last entry as ``before``. With ``status``,
        ``template`` or ``reference`` a page can be shorter than ``limit``, or empty, although older ones exist."""
        query = {"limit": limit, "before": before, "status": status, "template": template, "reference": reference}
        return self._transport.send("GET", _BASE, read_verification_list, query=query, repeatable=True)

    def all(
        self,
        *,
        before: Optional[str] = None,
        page_size: int = 100,
        status: Optional[str] = None,
        template: Optional[str] = None,
    ) -> Iterator[Verification]:
        """All verifications, newest first. Fetches the next page when it needs it. With ``status``, returns those that have it
        when their page is fetched."""
        while True:
            page = self.list(limit=page_size, before=before)
            # Filters here, because a page that the service filters may be short before the end.
            for one in page:
                if status in (None, one.status) and template in (None, one.template):
                    yield one
            if len(page) < page_size:
                return
            before = page[-1].created_at

    def erase(self, id: str) -> ErasureResult:
        """Deletes the verification and everything derived from it. If the connection breaks, the retry may find it gone:
        ``session_not_found`` then means that it is erased."""
        return self._transport.send("DELETE", _path(id), read_erasure, repeatable=True)

    def hosted_url(self, id: str) -> str:
        """The address of the service's page with the request, a QR code and a button."""
        return f"{self._transport.base_url}/verify/{_part(id)}"


def _path(id: str) -> str:
    return f"{_BASE}/{_part(id)}"


def _part(id: str) -> str:
    """Refuses ids that would lead to another route: an empty one or only dots."""
    if not isinstance(id, str) or id.strip(".") == "":
        raise ValueError("the id of a verification is missing")
    return quote(id, safe="")


def _read_receipt(answer: Any) -> str:
    return _in_form(r"[\w-]+\.[\w-]+\.[\w-]+", answer)


def _read_proof(answer: Any) -> str:
    return _in_form(r"c2sp\.org/tlog-proof@v1\n[\s\S]*", answer)


def _read_pdf(answer: Any) -> bytes:
    return _in_form(r"%PDF-[\x00-\x7f]*", answer).encode("ascii")


def _in_form(form: str, answer: Any) -> str:
    if not isinstance(answer, str) or re.fullmatch(form, answer, re.ASCII) is None:
        raise MalformedAnswer()
    return answer


def _read_verdict(answer: Any) -> Optional[str]:
    verdict = answer.get("verdict") if isinstance(answer, dict) else None
    return verdict if isinstance(verdict, str) else None


def _read_transaction(answer: Any) -> Optional[List[Mapping[str, Any]]]:
    """A missing list must not read as nothing to confirm."""
    if not isinstance(answer, dict) or "transaction" not in answer:
        raise MalformedAnswer("transaction")
    items = answer["transaction"]
    if items is None:
        return None
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise MalformedAnswer("transaction")
    return items
