"""The errors of failed calls. They contain nothing of the request: no key, no code, no body."""

from __future__ import annotations

from typing import Dict, Optional, Type


class ErrorCode:
    """Codes that this version knows. They are stable. A newer service may send others, as plain text."""

    API_KEY_EXPIRED = "api_key_expired"
    DEVICE_LIMIT_REACHED = "device_limit_reached"
    DEVICE_NOT_FOUND = "device_not_found"
    EVIDENCE_NOT_FOUND = "evidence_not_found"
    IDEMPOTENCY_KEY_IN_FLIGHT = "idempotency_key_in_flight"
    IDEMPOTENCY_KEY_REUSED = "idempotency_key_reused"
    INSUFFICIENT_SCOPE = "insufficient_scope"
    INTERNAL_ERROR = "internal_error"
    INVALID_API_KEY = "invalid_api_key"
    INVALID_IDEMPOTENCY_KEY = "invalid_idempotency_key"
    INVALID_PAIRING_CODE = "invalid_pairing_code"
    INVALID_REFRESH_TOKEN = "invalid_refresh_token"
    INVALID_REQUEST = "invalid_request"
    INVALID_RESPONSE_CODE = "invalid_response_code"
    INVALID_WEBHOOK_URL = "invalid_webhook_url"
    LINK_LIMIT_REACHED = "link_limit_reached"
    LINK_NOT_FOUND = "link_not_found"
    NOT_REGISTERED = "not_registered"
    ORIGIN_NOT_ALLOWED = "origin_not_allowed"
    OVER_ASKING = "over_asking"
    INVALID_TRANSACTION = "invalid_transaction"
    TRANSACTION_NOT_SUPPORTED_FOR_CREDENTIAL = "transaction_not_supported_for_credential"
    PAYLOAD_TOO_LARGE = "payload_too_large"
    QUOTA_EXCEEDED = "quota_exceeded"
    RATE_LIMIT_EXCEEDED = "rate_limit_exceeded"
    SESSION_ALREADY_RESPONDED = "session_already_responded"
    SESSION_NOT_FOUND = "session_not_found"
    TEMPLATE_NOT_ALLOWED = "template_not_allowed"
    UNAVAILABLE = "unavailable"
    UNKNOWN_TEMPLATE = "unknown_template"
    UNSUPPORTED_MEDIA_TYPE = "unsupported_media_type"

    # Codes of this library, if there is no valid answer of the service.
    CONNECTION_FAILED = "connection_failed"
    TIMEOUT = "timeout"
    UNEXPECTED_ANSWER = "unexpected_answer"


class VidimusError(Exception):
    """Decide by class or ``code``; the message is for people and may change. Quote ``request_id`` to the operator."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: Optional[int] = None,
        request_id: Optional[str] = None,
        retry_after: Optional[int] = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        #: The HTTP status; ``None`` without an answer.
        self.status = status
        self.request_id = request_id
        #: Seconds, as the service asked for.
        self.retry_after = retry_after

    def __str__(self) -> str:
        named = "" if self.request_id is None else f" ({self.request_id})"
        return f"{self.code}: {self.message}{named}"

    def __reduce__(self):  # type: ignore[no-untyped-def]
        return (_restore, (type(self), self.code, self.message, self.status, self.request_id, self.retry_after))


class InvalidRequestError(VidimusError):
    """400 or 422: the request is invalid. Fix it before you retry."""


class AuthenticationError(VidimusError):
    """401: the key is missing, wrong, revoked or expired."""


class PermissionDeniedError(VidimusError):
    """403: the key or device lacks the permission."""


class NotFoundError(VidimusError):
    """404: no such verification, device or response code."""


class ConflictError(VidimusError):
    """409 or 410: too late, or another request is in progress."""


class RateLimitError(VidimusError):
    """429: too many requests; ``retry_after`` says when to come back."""


class QuotaExceededError(RateLimitError):
    """429: the day's verifications are spent; ``retry_after`` is the time until midnight UTC. Never retried."""


class ServerError(VidimusError):
    """5xx: the service failed."""


class ConnectionFailedError(VidimusError):
    """No connection, or it broke."""


class TimedOutError(VidimusError):
    """No complete answer in time; for ``wait_for_result``: still pending."""


class UnexpectedAnswerError(VidimusError):
    """Something other than the service answered: a proxy, a redirect, a web page."""


_BY_STATUS: Dict[int, Type[VidimusError]] = {
    400: InvalidRequestError,
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    410: ConflictError,
    413: InvalidRequestError,
    415: InvalidRequestError,
    422: InvalidRequestError,
    429: RateLimitError,
}


def refusal(
    code: str, message: str, *, status: int, request_id: Optional[str], retry_after: Optional[int]
) -> VidimusError:
    """Creates the error class of the code; for an unknown code, the class of the HTTP status."""
    kind: Type[VidimusError]
    if code == ErrorCode.QUOTA_EXCEEDED:
        kind = QuotaExceededError
    elif status >= 500:
        kind = ServerError
    else:
        kind = _BY_STATUS.get(status, VidimusError)
    return kind(code, message, status=status, request_id=request_id, retry_after=retry_after)


def _restore(
    kind: Type[VidimusError],
    code: str,
    message: str,
    status: Optional[int],
    request_id: Optional[str],
    retry_after: Optional[int],
) -> VidimusError:
    return kind(code, message, status=status, request_id=request_id, retry_after=retry_after)
