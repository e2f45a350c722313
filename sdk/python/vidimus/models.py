"""The service's answers. Unknown members are kept in ``raw``. An answer without a required member is refused."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple, TypeVar

T = TypeVar("T")


class MalformedAnswer(ValueError):
    """A required member is missing, or has another type."""


@dataclass(frozen=True)
class Finding:
    check: str
    status: str
    detail: Optional[str] = None


@dataclass(frozen=True)
class CredentialResult:
    # mso_mdoc, dc+sd-jwt, or mso_mdoc_zk (a proof about a document that was not shown).
    format: str
    doctype_or_vct: str
    claims: Mapping[str, Any] = field(repr=False)
    issuer: Mapping[str, Any]
    trusted: bool
    signature_valid: bool
    holder_binding_valid: bool
    findings: Tuple[Finding, ...]


@dataclass(frozen=True)
class Failure:
    """Why a verification failed."""

    code: str
    message: str


@dataclass(frozen=True)
class VerificationStatus:
    id: str
    #: ``pending``, ``completed``, ``failed`` or ``expired``; a newer service may have others.
    status: str


@dataclass(frozen=True)
class Verification:
    """Times are ISO 8601 texts in UTC, as the service sends them. ``repr`` has no claims and no metadata."""

    id: str
    #: ``pending``, ``completed``, ``failed`` or ``expired``; a newer service may have others. Only ``completed`` is a proof.
    status: str
    created_at: str
    expires_at: str
    template: Optional[str] = None
    #: For a QR code or a link; only while pending.
    wallet_uri: Optional[str] = None
    request_uri: Optional[str] = None
    #: Merged verified claims; empty unless completed.
    claims: Mapping[str, Any] = field(default_factory=dict, repr=False)
    credentials: Tuple[CredentialResult, ...] = field(default=(), repr=False)
    error: Optional[Failure] = None
    metadata: Mapping[str, str] = field(default_factory=dict, repr=False)
    purpose: Optional[str] = None
    redirect_url: Optional[str] = field(default=None, repr=False)
    responded_at: Optional[str] = None
    #: The whole answer, including members that this library does not know.
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True)
class ErasureResult:
    id: str
    #: Rows hard-deleted, by table.
    deleted: Mapping[str, int]
    erased_at: str


@dataclass(frozen=True)
class EvidenceDelivery:
    id: str
    #: A JWE to your key.
    evidence: str
    receipt: str
    #: ``None`` if the public log has halted, or does not have the receipt yet after a move to another installation.
    receipt_proof: Optional[str]


@dataclass(frozen=True)
class CheckOutcome:
    check: str
    #: ``passed``, ``failed``, ``warning``, ``not_checked`` or ``not_provable``; a newer service may have others.
    outcome: str


@dataclass(frozen=True)
class CredentialChecks:
    #: The id of the credential query.
    query: str
    format: str
    checks: Tuple[CheckOutcome, ...]


@dataclass(frozen=True)
class SentRequest:
    at: str
    client_id: str
    #: base64url; ``None``: no request fits this wallet.
    request_sha256: Optional[str]
    #: Ids of credential queries that were left out for this wallet.
    left_out: Tuple[str, ...]
    #: The curve of the wallet's key; ``None``: the request object was not encrypted.
    encrypted_to: Optional[str]
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True)
class VerificationDiagnostics:
    id: str
    status: str
    #: ``redirect``, ``age_link``, ``dc_api`` or ``annex_c``; ``None``: no answer yet, or not recorded.
    channel: Optional[str]
    #: How the answer was bound to the browser that asked; ``None``: it was not recorded.
    binding: Optional[str]
    #: The request objects that wallets fetched; ``missing`` and ``declared`` are in ``raw``.
    requests: Tuple[SentRequest, ...]
    #: Empty: no credential was presented. ``None``: forgotten, or not recorded.
    credentials: Optional[Tuple[CredentialChecks, ...]]
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True)
class Link:
    id: str
    #: ``scheduled``, ``open``, ``used_up``, ``ended`` or ``revoked``.
    state: str
    starts_at: str
    ends_at: str
    #: ``None``: any number.
    uses: Optional[int]
    opened: int
    completed: int
    created_at: str
    revoked_at: Optional[str] = None
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True)
class CreatedLink:
    link: Link
    #: Shown only here.
    url: str = field(repr=False)


@dataclass(frozen=True)
class Device:
    id: str
    name: str
    #: ``pending``, ``active`` or ``revoked``.
    status: str
    allowed_templates: Tuple[str, ...]
    created_at: str
    pairing_expires_at: Optional[str] = None
    enrolled_at: Optional[str] = None
    last_seen_at: Optional[str] = None
    revoked_at: Optional[str] = None
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True)
class RegisteredDevice:
    device: Device
    #: Shown only here.
    pairing_code: str = field(repr=False)


@dataclass(frozen=True)
class DeviceTokenPair:
    access_token: str = field(repr=False)
    #: Single use: store it before using the access token.
    refresh_token: str = field(repr=False)
    token_type: str
    expires_in: int
    refresh_expires_in: int
    device: Device


@dataclass(frozen=True)
class DayUsage:
    day: str
    verifications_created: int


@dataclass(frozen=True)
class Usage:
    day: str
    verifications_created: int
    daily_quota: int
    remaining: int
    recent: Tuple[DayUsage, ...]


@dataclass(frozen=True)
class Template:
    key: str
    title: str


@dataclass(frozen=True)
class TemplateList:
    #: ``test`` or ``live``: in ``test`` results prove nothing.
    environment: str
    data: Tuple[Template, ...]


def read_verification(value: Any) -> Verification:
    o = _object(value)
    error = o.get("error")
    return Verification(
        id=_text(o, "id"),
        status=_text(o, "status"),
        created_at=_text(o, "created_at"),
        expires_at=_text(o, "expires_at"),
        template=_optional(o, "template", str),
        wallet_uri=_optional(o, "wallet_uri", str),
        request_uri=_optional(o, "request_uri", str),
        claims=_optional(o, "claims", dict) or {},
        credentials=_tuple(o.get("credentials", []), _read_credential),
        error=None if error is None else Failure(code=_text(_object(error), "code"), message=_text(_object(error), "message")),
        metadata=_optional(o, "metadata", dict) or {},
        purpose=_optional(o, "purpose", str),
        redirect_url=_optional(o, "redirect_url", str),
        responded_at=_optional(o, "responded_at", str),
        raw=o,
    )


def read_status(value: Any) -> VerificationStatus:
    o = _object(value)
    return VerificationStatus(id=_text(o, "id"), status=_text(o, "status"))


def read_verification_list(value: Any) -> List[Verification]:
    return list(_tuple(_object(value).get("data"), read_verification))


def read_erasure(value: Any) -> ErasureResult:
    o = _object(value)
    return ErasureResult(id=_text(o, "id"), deleted=_object(o.get("deleted")), erased_at=_text(o, "erased_at"))


def read_evidence(value: Any) -> EvidenceDelivery:
    o = _object(value)
    return EvidenceDelivery(
        id=_text(o, "id"),
        evidence=_text(o, "evidence"),
        receipt=_text(o, "receipt"),
        receipt_proof=_optional(o, "receipt_proof", str),
    )


def read_diagnostics(value: Any) -> VerificationDiagnostics:
    o = _object(value)
    # A missing list must not read as an empty one.
    if "credentials" not in o:
        raise MalformedAnswer("credentials")
    credentials = o["credentials"]
    return VerificationDiagnostics(
        id=_text(o, "id"),
        status=_text(o, "status"),
        channel=_optional(o, "channel", str),
        binding=_optional(o, "binding", str),
        requests=_tuple(o.get("requests", []), _read_sent_request),
        credentials=None if credentials is None else _tuple(credentials, _read_checks),
        raw=o,
    )


def _read_sent_request(value: Any) -> SentRequest:
    o = _object(value)
    return SentRequest(
        at=_text(o, "at"),
        client_id=_text(o, "client_id"),
        request_sha256=_optional(o, "request_sha256", str),
        left_out=_tuple(o.get("left_out"), str),
        encrypted_to=_optional(o, "encrypted_to", str),
        raw=o,
    )


def _read_checks(value: Any) -> CredentialChecks:
    o = _object(value)
    return CredentialChecks(
        query=_text(o, "query"),
        format=_text(o, "format"),
        checks=_tuple(
            o.get("checks"), lambda c: CheckOutcome(check=_text(_object(c), "check"), outcome=_text(c, "outcome"))
        ),
    )


def read_link(value: Any) -> Link:
    o = _object(value)
    return Link(
        id=_text(o, "id"),
        state=_text(o, "state"),
        starts_at=_text(o, "starts_at"),
        ends_at=_text(o, "ends_at"),
        uses=_optional(o, "uses", int),
        opened=_number(o, "opened"),
        completed=_number(o, "completed"),
        created_at=_text(o, "created_at"),
        revoked_at=_optional(o, "revoked_at", str),
        # The address of a created link is a secret.
        raw={name: member for name, member in o.items() if name != "url"},
    )


def read_link_list(value: Any) -> List[Link]:
    return list(_tuple(_object(value).get("data"), read_link))


def read_created_link(value: Any) -> CreatedLink:
    return CreatedLink(link=read_link(value), url=_text(_object(value), "url"))


def read_device(value: Any) -> Device:
    o = _object(value)
    return Device(
        id=_text(o, "id"),
        name=_text(o, "name"),
        status=_text(o, "status"),
        allowed_templates=_tuple(o.get("allowed_templates"), str),
        created_at=_text(o, "created_at"),
        pairing_expires_at=_optional(o, "pairing_expires_at", str),
        enrolled_at=_optional(o, "enrolled_at", str),
        last_seen_at=_optional(o, "last_seen_at", str),
        revoked_at=_optional(o, "revoked_at", str),
        raw=o,
    )


def read_device_list(value: Any) -> List[Device]:
    return list(_tuple(_object(value).get("data"), read_device))


def read_registered_device(value: Any) -> RegisteredDevice:
    o = _object(value)
    return RegisteredDevice(device=read_device(o.get("device")), pairing_code=_text(o, "pairing_code"))


def read_token_pair(value: Any) -> DeviceTokenPair:
    o = _object(value)
    return DeviceTokenPair(
        access_token=_text(o, "access_token"),
        refresh_token=_text(o, "refresh_token"),
        token_type=_text(o, "token_type"),
        expires_in=_number(o, "expires_in"),
        refresh_expires_in=_number(o, "refresh_expires_in"),
        device=read_device(o.get("device")),
    )


def read_usage(value: Any) -> Usage:
    o = _object(value)
    return Usage(
        day=_text(o, "day"),
        verifications_created=_number(o, "verifications_created"),
        daily_quota=_number(o, "daily_quota"),
        remaining=_number(o, "remaining"),
        recent=_tuple(
            o.get("recent"),
            lambda d: DayUsage(day=_text(_object(d), "day"), verifications_created=_number(d, "verifications_created")),
        ),
    )


def read_templates(value: Any) -> TemplateList:
    o = _object(value)
    return TemplateList(
        environment=_text(o, "environment"),
        data=_tuple(o.get("data"), lambda t: Template(key=_text(_object(t), "key"), title=_text(t, "title"))),
    )


def _read_credential(value: Any) -> CredentialResult:
    o = _object(value)
    return CredentialResult(
        format=_text(o, "format"),
        doctype_or_vct=_text(o, "doctype_or_vct"),
        claims=_object(o.get("claims")),
        issuer=_object(o.get("issuer")),
        # Anything but true counts as false.
        trusted=o.get("trusted") is True,
        signature_valid=o.get("signature_valid") is True,
        holder_binding_valid=o.get("holder_binding_valid") is True,
        findings=_tuple(
            o.get("findings"),
            lambda f: Finding(
                check=_text(_object(f), "check"), status=_text(f, "status"), detail=_optional(f, "detail", str)
            ),
        ),
    )


def _object(value: Any) -> Dict[str, Any]:
    if not isinstance(value, dict):
        raise MalformedAnswer("not an object")
    return value


def _text(o: Mapping[str, Any], name: str) -> str:
    value = o.get(name)
    if not isinstance(value, str):
        raise MalformedAnswer(name)
    return value


def _number(o: Mapping[str, Any], name: str) -> int:
    value = o.get(name)
    if not isinstance(value, int) or isinstance(value, bool):
        raise MalformedAnswer(name)
    return value


def _optional(o: Mapping[str, Any], name: str, kind: Callable[..., T]) -> Optional[T]:
    value = o.get(name)
    if value is None:
        return None
    if not isinstance(value, kind):  # type: ignore[arg-type]
        raise MalformedAnswer(name)
    return value  # type: ignore[no-any-return]


def _tuple(value: Any, read: Callable[[Any], T]) -> Tuple[T, ...]:
    if not isinstance(value, list):
        raise MalformedAnswer("not a list")
    return tuple(read(item) for item in value)
