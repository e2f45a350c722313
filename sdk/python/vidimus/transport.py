"""Sends one call and retries it if that is safe. It has the key and never shows it."""

from __future__ import annotations

import errno
import http.client
import json
import re
import secrets
import socket
import ssl
import time
import urllib.error
import urllib.request
from typing import Any, Callable, Mapping, NoReturn, Optional, TypeVar
from urllib.parse import urlencode

from .errors import (
    ConnectionFailedError,
    ErrorCode,
    TimedOutError,
    UnexpectedAnswerError,
    VidimusError,
    refusal,
)
from .models import MalformedAnswer
from .retry import wait_before_retry

T = TypeVar("T")

_CHUNK = 65_536


class Transport:
    __slots__ = ("base_url", "_api_key", "_timeout", "_retries", "_longest_wait", "sleep", "clock", "_opener")

    def __init__(
        self,
        *,
        base_url: str,
        api_key: str,
        timeout: float,
        retries: int,
        longest_wait: float,
        sleep: Callable[[float], object],
        clock: Callable[[], float],
        ssl_context: Optional[ssl.SSLContext],
    ) -> None:
        self.base_url = base_url
        self._api_key = api_key
        self._timeout = timeout
        self._retries = retries
        self._longest_wait = longest_wait
        self.sleep = sleep
        self.clock = clock
        self._opener = _build_opener(base_url, ssl_context)

    def __repr__(self) -> str:
        return f"<Transport to {self.base_url}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a client has a key and must not be pickled")

    def send(
        self,
        method: str,
        path: str,
        read: Callable[[Any], T],
        *,
        repeatable: bool,
        query: Optional[Mapping[str, Any]] = None,
        body: Optional[Mapping[str, Any]] = None,
        idempotency_key: Optional[str] = None,
        anonymous: bool = False,
        as_text: bool = False,
    ) -> T:
        """``repeatable``: the call is idempotent. ``anonymous``: sent without the key. ``as_text``: the answer is not JSON;
        ``read`` gets it unchanged."""
        accept = "*/*" if as_text else "application/json"
        headers = {"Accept": accept, "User-Agent": "vidimus-python/0.1.0"}
        if not anonymous:
            headers["Authorization"] = f"Bearer {self._api_key}"
        if idempotency_key is not None:
            headers["Idempotency-Key"] = idempotency_key
        data = None if body is None else json.dumps(body, allow_nan=False).encode()
        if data is not None:
            headers["Content-Type"] = "application/json"
        given = {name: value for name, value in (query or {}).items() if value is not None}
        url = self.base_url + path + (f"?{urlencode(given)}" if given else "")
        attempt = 1
        while True:
            try:
                return self._attempt(urllib.request.Request(url, data, headers, method=method), read, as_text)
            except VidimusError as error:
                wait = wait_before_retry(
                    error,
                    attempt=attempt,
                    repeatable=repeatable,
                    retries=self._retries,
                    longest_wait=self._longest_wait,
                    chance=secrets.randbelow(2**32) / 2**32,
                )
                if wait is None:
                    raise
            self.sleep(wait)
            attempt += 1

    def _attempt(self, request: urllib.request.Request, read: Callable[[Any], T], as_text: bool) -> T:
        try:
            status, headers, text = self._exchange(request)
        except (OSError, http.client.HTTPException) as error:
            problem = self._connection_error(error)
        else:
            return _read_answer(status, headers, text, read, as_text)
        # Raised outside of the handler: a log would show the caught error as context, and it may contain the request.
        raise problem

    def _exchange(self, request: urllib.request.Request) -> "tuple[int, Mapping[str, str], bytes]":
        deadline = time.monotonic() + self._timeout
        try:
            response = self._opener.open(request, timeout=self._timeout)
        except urllib.error.HTTPError as refused:
            response = refused
        with response:
            return response.status, response.headers, _read_whole(response, deadline)

    def _connection_error(self, error: Exception) -> VidimusError:
        cause: object = error.reason if isinstance(error, urllib.error.URLError) else error
        if isinstance(cause, socket.timeout):
            return TimedOutError(ErrorCode.TIMEOUT, f"No answer within {self._timeout:g} seconds.")
        return ConnectionFailedError(ErrorCode.CONNECTION_FAILED, f"The service was not reached ({_name_of(cause)}).")


def _read_whole(response: Any, deadline: float) -> bytes:
    """Reads in pieces, because a socket's timeout applies to each piece and a slow service must not exceed the deadline."""
    length = response.headers.get("Content-Length", "")
    expected = int(length) if re.fullmatch(r"[0-9]{1,15}", length) else None
    text = bytearray()
    while expected is None or len(text) < expected:
        if time.monotonic() > deadline:
            raise socket.timeout()
        piece = response.read1(_CHUNK)
        if not piece:
            break
        text += piece
    if expected is not None and len(text) != expected:
        raise http.client.IncompleteRead(b"")
    return bytes(text)


def _build_opener(base_url: str, ssl_context: Optional[ssl.SSLContext]) -> urllib.request.OpenerDirector:
    """Uses only HTTP(S), through the proxies of the environment. It follows no redirect: that would send the key to another
    server."""
    opener = urllib.request.OpenerDirector()
    handlers = [
        urllib.request.ProxyHandler(),
        urllib.request.UnknownHandler(),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPErrorProcessor(),
    ]
    if base_url.startswith("https:"):
        # One context for all calls: loading the certificates of the system takes longer than a call.
        handlers.append(urllib.request.HTTPSHandler(context=ssl_context or ssl.create_default_context()))
    for handler in handlers:
        opener.add_handler(handler)
    return opener


def _read_answer(
    status: int, headers: Mapping[str, str], text: bytes, read: Callable[[Any], T], as_text: bool
) -> T:
    request_id = headers.get("Request-Id")
    retry_after = _seconds(headers.get("Retry-After"))
    body = _parse(text)
    if 200 <= status < 300 and (as_text or isinstance(body, dict)):
        try:
            return read(text.decode("utf-8", "replace") if as_text else body)
        except MalformedAnswer:
            pass
    error = body.get("error") if isinstance(body, dict) else None
    if not 200 <= status < 300 and isinstance(error, dict):
        code, message = error.get("code"), error.get("message")
        if isinstance(code, str) and isinstance(message, str):
            raise refusal(code, message, status=status, request_id=request_id, retry_after=retry_after)
    raise UnexpectedAnswerError(
        ErrorCode.UNEXPECTED_ANSWER,
        f"The answer (HTTP {status}) is not one of the service's. Is base_url right?",
        status=status,
        request_id=request_id,
        retry_after=retry_after,
    )


def _parse(text: bytes) -> Any:
    try:
        return json.loads(text.decode("utf-8"))
    except (ValueError, RecursionError):
        return None


def _seconds(header: Optional[str]) -> Optional[int]:
    return int(header) if header is not None and re.fullmatch(r"[0-9]{1,9}", header) else None


def _name_of(cause: object) -> str:
    """The system's error name (ECONNREFUSED) or the type of the error. Its text may contain the request."""
    number = getattr(cause, "errno", None)
    if isinstance(number, int) and number in errno.errorcode and not isinstance(cause, ssl.SSLError):
        return errno.errorcode[number]
    return type(cause).__name__
