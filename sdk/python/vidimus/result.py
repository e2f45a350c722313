"""Opens results that are encrypted to you, with your private key. Needs the package ``cryptography``:
``pip install vidimus[results]``."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
import re
from typing import Any, Dict, Iterable, List, Mapping, Tuple, Union

from .models import Verification

#: A private key as a JWK on P-256, with ``d``.
ResultKey = Mapping[str, Any]


class ResultError(Exception):
    """Why a result was not opened. ``code`` is stable, the message is for your log."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(code, message)
        #: ``no_key``: the result is encrypted to a key that you did not pass. ``damaged``: it does not open, or belongs to
        #: another verification. ``not_encrypted``: the result is not encrypted, but you expect encrypted results.
        self.code = code
        self.message = message

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


def open_result(
    verification: Verification,
    keys: Union[ResultKey, Iterable[ResultKey]],
    *,
    accept_clear: bool = False,
) -> Verification:
    """Decrypts the claims of a verification and of its credentials; raises ``ResultError`` if it cannot.

    Pass a verification from ``get``, ``redeem`` or ``verify_webhook``, and all your keys while you replace one: the result
    names the key that it is encrypted to. A verification without claims (pending, failed, forgotten) is returned
    unchanged. ``accept_clear`` accepts results that are not encrypted, for those from before you registered a key.
    """
    if not isinstance(verification, Verification):
        raise _damaged("there is no verification")
    claims = verification.claims
    if "$jwe" not in claims:
        if accept_clear or not _has_claims(verification):
            return verification
        raise ResultError("not_encrypted", "The result is not encrypted, and the caller expects one that is.")
    jwe = claims["$jwe"]
    if not isinstance(jwe, str) or len(claims) != 1:
        raise _damaged("claims holds more than a JWE")
    if verification.status != "completed":
        raise _damaged("the verification is not completed")
    given = [keys] if isinstance(keys, Mapping) else list(keys)
    opened, credentials = _read_content(_decrypt(jwe, given, verification.id))
    raw = {**verification.raw, "claims": opened}
    if "credentials" not in verification.raw and not verification.credentials:
        return dataclasses.replace(verification, claims=opened, raw=raw)
    if len(credentials) != len(verification.credentials):
        raise _damaged("it has other credentials than the verification")
    filled = tuple(
        dataclasses.replace(one, claims=inner) for one, inner in zip(verification.credentials, credentials)
    )
    described = verification.raw.get("credentials", [])
    raw["credentials"] = [{**one, "claims": inner} for one, inner in zip(described, credentials)]
    return dataclasses.replace(verification, claims=opened, credentials=filled, raw=raw)


def _has_claims(verification: Verification) -> bool:
    """A verification without claims has nothing to protect. ``claims`` is empty if the answer has none."""
    return (
        "claims" in verification.raw
        or len(verification.claims) > 0
        or any(len(one.claims) > 0 for one in verification.credentials)
    )


def _decrypt(jwe: str, keys: List[ResultKey], audience: str) -> bytes:
    """Accepts only ECDH-ES (direct) with A256GCM (RFC 7518 section 4.6 and 5.3)."""
    parts = jwe.split(".")
    if len(parts) != 5 or parts[1] != "":
        raise _damaged("it is not a JWE of this service")
    header = _read_header(parts[0])
    kind = (header.get("alg"), header.get("enc"), header.get("typ"))
    if kind != ("ECDH-ES", "A256GCM", "vidimus-result+jwe") or {"crit", "zip", "apu"} & header.keys():
        raise _damaged("it is not a JWE of this kind")
    if header.get("apv") != _to_base64url(audience.encode("utf-8")):
        raise _damaged("it belongs to something else")
    key = _key_named(header.get("kid"), keys)
    iv, body, tag = (_from_base64url(part) for part in parts[2:])
    if len(iv) != 12 or len(tag) != 16:
        raise _damaged("its parts have wrong lengths")
    return _open_content(key, header.get("epk"), audience, (iv, body + tag, parts[0].encode("ascii")))


def _open_content(key: ResultKey, epk: Any, audience: str, sealed: Tuple[bytes, bytes, bytes]) -> bytes:
    try:
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.asymmetric import ec
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    except ImportError as error:
        raise ImportError("open_result needs the package cryptography: pip install vidimus[results]") from error
    if not isinstance(epk, dict) or (epk.get("kty"), epk.get("crv")) != ("EC", "P-256"):
        raise _damaged("its key is of another kind")
    try:
        # Both refuse a point that is not on the curve. The private key also refuses one that does not belong to d.
        theirs = _point_of(epk).public_key()
        ours = ec.EllipticCurvePrivateNumbers(_number(key.get("d")), _point_of(key)).private_key()
        secret = ours.exchange(ec.ECDH(), theirs)
        iv, body, additional = sealed
        return AESGCM(_derive(secret, audience.encode("utf-8"))).decrypt(iv, body, additional)
    except (InvalidTag, ValueError):
        raise _damaged("it does not open with this key") from None


def _point_of(jwk: Mapping[str, Any]) -> Any:
    from cryptography.hazmat.primitives.asymmetric import ec

    return ec.EllipticCurvePublicNumbers(_number(jwk.get("x")), _number(jwk.get("y")), ec.SECP256R1())


def _number(text: Any) -> int:
    data = _from_base64url(text) if isinstance(text, str) else b""
    if len(data) != 32:
        raise ValueError("a number of a wrong length")
    return int.from_bytes(data, "big")


def _derive(secret: bytes, audience: bytes) -> bytes:
    """The Concat KDF of RFC 7518 section 4.6.2: one round of SHA-256."""
    fields = b"".join(_uint32(len(one)) + one for one in (b"A256GCM", b"", audience))
    return hashlib.sha256(_uint32(1) + secret + fields + _uint32(256)).digest()


def _uint32(value: int) -> bytes:
    return value.to_bytes(4, "big")


def _key_named(kid: Any, keys: List[ResultKey]) -> ResultKey:
    """By thumbprint (RFC 7638)."""
    for key in keys:
        named = {name: key.get(name) for name in ("crv", "kty", "x", "y")}
        text = json.dumps(named, separators=(",", ":"), ensure_ascii=False)
        if kid == _to_base64url(hashlib.sha256(text.encode("utf-8")).digest()):
            return key
    raise ResultError("no_key", "The result is encrypted to a key that is not among those given.")


def _read_header(text: str) -> Dict[str, Any]:
    header = _parse(_from_base64url(text))
    if not isinstance(header, dict):
        raise _damaged("its header cannot be read")
    return header


def _read_content(plain: bytes) -> Tuple[Dict[str, Any], List[Dict[str, Any]]]:
    """The claims, and those of each credential."""
    content = _parse(plain)
    claims = content.get("claims") if isinstance(content, dict) else None
    credentials = content.get("credentials") if isinstance(content, dict) else None
    if not isinstance(claims, dict) or not isinstance(credentials, list):
        raise _damaged("it holds no result")
    inner = [one.get("claims") if isinstance(one, dict) else None for one in credentials]
    if not all(isinstance(one, dict) for one in inner):
        raise _damaged("a credential has no claims")
    return claims, inner  # type: ignore[return-value]


def _parse(data: bytes) -> Any:
    def refuse(_: str) -> Any:
        raise ValueError("no JSON")

    try:
        return json.loads(data.decode("utf-8"), parse_constant=refuse)
    except (ValueError, RecursionError):
        raise _damaged("it cannot be read") from None


def _to_base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def _from_base64url(text: str) -> bytes:
    """Decodes canonical base64url only: no padding, no white space, unused bits are zero."""
    if re.fullmatch(r"[A-Za-z0-9_-]*", text, re.ASCII) is not None and len(text) % 4 != 1:
        data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        if _to_base64url(data) == text:
            return data
    raise _damaged("it is not base64url")


def _damaged(why: str) -> ResultError:
    return ResultError("damaged", f"The result cannot be opened: {why}.")
