"""Manages devices for a merchant. ``enroll`` and ``refresh`` are the two calls that a device makes."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence
from urllib.parse import quote

from .models import (
    Device,
    DeviceTokenPair,
    RegisteredDevice,
    read_device,
    read_device_list,
    read_registered_device,
    read_token_pair,
)
from .transport import Transport


class Devices:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def register(
        self, *, name: str, allowed_templates: Sequence[str], pairing_ttl_seconds: Optional[int] = None
    ) -> RegisteredDevice:
        """Only this answer has the pairing code. It is not retried after a broken connection."""
        body: Dict[str, Any] = {"name": name, "allowed_templates": list(allowed_templates)}
        if pairing_ttl_seconds is not None:
            body["pairing_ttl_seconds"] = pairing_ttl_seconds
        return self._transport.send("POST", "/v1/devices", read_registered_device, body=body, repeatable=False)

    def list(self) -> List[Device]:
        return self._transport.send("GET", "/v1/devices", read_device_list, repeatable=True)

    def revoke(self, id: str) -> Device:
        """All its tokens stop working immediately. Revoking twice is not an error."""
        if not isinstance(id, str) or id.strip(".") == "":
            raise ValueError("the id of a device is missing")
        return self._transport.send("DELETE", f"/v1/devices/{quote(id, safe='')}", read_device, repeatable=True)

    def enroll(self, pairing_code: str) -> DeviceTokenPair:
        """Exchanges a pairing code for tokens. It is never retried, because a code works once."""
        return self._exchange("/v1/devices/enroll", {"pairing_code": pairing_code})

    def refresh(self, refresh_token: str) -> DeviceTokenPair:
        """Exchanges a refresh token for new tokens. It is never retried, because a used refresh token revokes the device."""
        return self._exchange("/v1/devices/token", {"refresh_token": refresh_token})

    def _exchange(self, path: str, body: Dict[str, str]) -> DeviceTokenPair:
        # Sends no API key: the credential is in the body.
        return self._transport.send("POST", path, read_token_pair, body=body, repeatable=False, anonymous=True)
