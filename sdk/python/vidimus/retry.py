"""Decides whether to retry a call, and after how long."""

from __future__ import annotations

from typing import Optional

from .errors import ErrorCode, VidimusError

FIRST_WAIT = 0.25
BACKOFF_MAX = 8.0


def wait_before_retry(
    error: VidimusError,
    *,
    attempt: int,
    repeatable: bool,
    retries: int,
    longest_wait: float,
    chance: float,
) -> Optional[float]:
    """Seconds to wait before the next attempt; ``None`` when there must be none.

    ``repeatable``: the call is idempotent (reads, erasure, calls with an idempotency key).
    ``chance`` is in [0, 1).
    """
    if attempt > retries or not _may_retry(error, repeatable):
        return None
    if error.retry_after is None:
        # Full jitter: callers that failed together do not retry together.
        wait = min(BACKOFF_MAX, FIRST_WAIT * 2 ** min(attempt - 1, 16)) * (0.5 + chance / 2)
    else:
        wait = error.retry_after + FIRST_WAIT * chance
    return None if wait > longest_wait else wait


def _may_retry(error: VidimusError, repeatable: bool) -> bool:
    # The service refused it before it did anything, so a retry is safe.
    if error.code == ErrorCode.RATE_LIMIT_EXCEEDED:
        return True
    if not repeatable:
        return False
    if error.code == ErrorCode.IDEMPOTENCY_KEY_IN_FLIGHT:
        return True
    return error.status is None or error.status >= 500
