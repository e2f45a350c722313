"""Links that create a verification when a person opens them: for e-mails, text messages, invoices and posters."""

from __future__ import annotations

import re
import uuid
from typing import Any, Dict, List, Mapping, Optional, Sequence
from urllib.parse import quote

from .models import CreatedLink, Link, read_created_link, read_link, read_link_list
from .transport import Transport

_BASE = "/v1/links"


class Links:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        *,
        template: Optional[str] = None,
        query: Optional[Mapping[str, Any]] = None,
        starts_at: Optional[str] = None,
        ends_at: Optional[str] = None,
        uses: Optional[int] = 1,
        purpose: Optional[str] = None,
        metadata: Optional[Mapping[str, str]] = None,
        ttl_seconds: Optional[int] = None,
        redirect_url: Optional[str] = None,
        webhook_url: Optional[str] = None,
        intended_use: Optional[str] = None,
        transaction: Optional[Sequence[Mapping[str, Any]]] = None,
        mail: Optional[Mapping[str, str]] = None,
        idempotency_key: Optional[str] = None,
    ) -> CreatedLink:
        """Only this answer has ``url``: send or store it now.

        Give exactly one of ``template`` and ``query``. ``starts_at`` and ``ends_at`` are texts in ISO 8601, UTC.
        ``uses`` is how many verifications it may create; ``None``: any number until it ends.
        ``mail`` sends it to a person: ``{"to": "…", "language": "de"}``.
        """
        if (template is None) == (query is None):
            raise ValueError("give exactly one of template and query")
        key = str(uuid.uuid4()) if idempotency_key is None else idempotency_key
        if re.fullmatch(r"[\x21-\x7e]{1,255}", key) is None:
            raise ValueError("an idempotency key is 1 to 255 printable ASCII characters without spaces")
        given: Dict[str, Any] = {
            "template": template,
            "query": query,
            "starts_at": starts_at,
            "ends_at": ends_at,
            "purpose": purpose,
            "metadata": metadata,
            "ttl_seconds": ttl_seconds,
            "redirect_url": redirect_url,
            "webhook_url": webhook_url,
            "intended_use": intended_use,
            "transaction": transaction,
            "mail": mail,
        }
        body = {name: value for name, value in given.items() if value is not None}
        body["uses"] = uses
        return self._transport.send("POST", _BASE, read_created_link, body=body, idempotency_key=key, repeatable=True)

    def get(self, id: str) -> Link:
        return self._transport.send("GET", _path(id), read_link, repeatable=True)

    def list(self, *, limit: Optional[int] = None, before: Optional[str] = None) -> List[Link]:
        """One page, newest first. For the next page, pass the ``created_at`` of the last entry as ``before``."""
        query = {"limit": limit, "before": before}
        return self._transport.send("GET", _BASE, read_link_list, query=query, repeatable=True)

    def revoke(self, id: str) -> Link:
        """Stops the link. Verifications that it has already created continue. Revoking twice is not an error."""
        return self._transport.send("DELETE", _path(id), read_link, repeatable=True)


def _path(id: str) -> str:
    """Refuses ids that would lead to another route: an empty one or only dots."""
    if not isinstance(id, str) or id.strip(".") == "":
        raise ValueError("the id of a link is missing")
    return f"{_BASE}/{quote(id, safe='')}"
