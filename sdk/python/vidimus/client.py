"""The merchant's client: it calls the routes of merchants and devices."""

from __future__ import annotations

import math
import re
import ssl
import time
from typing import Callable, Optional
from urllib.parse import urlsplit

from .devices import Devices
from .links import Links
from .models import TemplateList, Usage, read_templates, read_usage
from .transport import Transport
from .verifications import Verifications


class Vidimus:
    """Every method raises a ``VidimusError`` if it fails. Threads may share a client.

    >>> vidimus = Vidimus("https://verify.example.com", os.environ["VIDIMUS_API_KEY"])  # doctest: +SKIP
    >>> created = vidimus.verifications.create(template="age_over_18", purpose="To sell you wine")  # doctest: +SKIP
    >>> result = vidimus.verifications.wait_for_result(created.id)  # doctest: +SKIP
    >>> result.status == "completed" and result.claims.get("age_over_18") is True  # doctest: +SKIP
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        timeout: float = 30.0,
        retries: int = 3,
        longest_wait: float = 60.0,
        ssl_context: Optional[ssl.SSLContext] = None,
        sleep: Callable[[float], object] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """``api_key`` is a secret of your server. ``timeout`` limits each attempt, in seconds. ``retries`` is how often
        a call is retried, if that is safe; it does not wait for a ``Retry-After`` beyond ``longest_wait`` seconds.
        ``sleep`` and ``clock`` are for tests."""
        transport = Transport(
            base_url=_check_base_url(base_url),
            api_key=_check_key(api_key),
            timeout=_check_number(timeout, "timeout", 0.001),
            retries=int(_check_number(retries, "retries", 0)),
            longest_wait=_check_number(longest_wait, "longest_wait", 0),
            sleep=sleep,
            clock=clock,
            ssl_context=ssl_context,
        )
        self._transport = transport
        self.verifications = Verifications(transport)
        self.links = Links(transport)
        self.devices = Devices(transport)

    def __repr__(self) -> str:
        return f"<Vidimus at {self._transport.base_url}>"

    def usage(self) -> Usage:
        """The quota and the creations of today and the last days."""
        return self._transport.send("GET", "/v1/usage", read_usage, repeatable=True)

    def templates(self) -> TemplateList:
        """The templates that this key may use, with titles for people."""
        return self._transport.send("GET", "/v1/templates", read_templates, repeatable=True)


def _check_base_url(base_url: str) -> str:
    try:
        url = urlsplit(base_url)
        port_is_fine = url.port is None or url.port >= 0
    except (ValueError, AttributeError):
        url, port_is_fine = urlsplit(""), False
    plain = url.username is None and url.password is None and url.query == "" and url.fragment == ""
    if port_is_fine and plain and url.scheme in ("http", "https") and url.hostname and re.search(r"\s", base_url) is None:
        return url.geturl().rstrip("/")
    raise ValueError("base_url must be the address of the service, such as https://verify.example.com")


def _check_key(api_key: str) -> str:
    """Refuses an unset variable or a pasted line end immediately, and never shows the key."""
    if isinstance(api_key, str) and re.fullmatch(r"(?:vk_(?:test|live)_|vd_)[\x21-\x7e]+", api_key):
        return api_key
    raise ValueError("api_key must be a key of Vidimus: it begins with vk_test_ or vk_live_ and contains no white space")


def _check_number(value: float, name: str, least: float) -> float:
    if isinstance(value, (int, float)) and math.isfinite(value) and value >= least:
        return value
    raise ValueError(f"{name} must be a number, {least:g} or more")
