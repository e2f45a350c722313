"""Runs a whole flow with the client that openapi-python-client makes."""

import os
import uuid

from made_client.api.verifications import (
    create_verification,
    erase_verification,
    get_verification,
    get_verification_status,
    list_verifications,
    redeem_response_code,
)
from made_client.client import AuthenticatedClient
from made_client.models import CreateVerificationBody, RedeemResponseCodeBody
from present import present

client = AuthenticatedClient(base_url=os.environ["VIDIMUS_BASE_URL"], token=os.environ["VIDIMUS_API_KEY"])
asked = {"template": "age_over_18", "redirect_url": "https://shop.example.com/done"}
made = create_verification.sync_detailed(
    client=client, body=CreateVerificationBody.from_dict(asked), idempotency_key=str(uuid.uuid4())
)
assert made.status_code == 201, made
one = made.parsed
assert get_verification_status.sync(one.id, client=client).status == "pending"
code = present(one.wallet_uri)
read = get_verification.sync(one.id, client=client)
assert read.status == "completed" and read.claims.to_dict()["age_over_18"] is True, read
assert redeem_response_code.sync(one.id, client=client, body=RedeemResponseCodeBody(response_code=code)).id == one.id
assert any(listed.id == one.id for listed in list_verifications.sync(client=client, limit=20).data)
assert erase_verification.sync(one.id, client=client).id == one.id
print("openapi-python-client: created, waited, read, redeemed, listed, erased")
