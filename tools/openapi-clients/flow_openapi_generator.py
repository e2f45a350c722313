"""Runs a whole flow with the Python client that openapi-generator makes."""

import os
import uuid

import vidimus_made as made
from present import present

configuration = made.Configuration(host=os.environ["VIDIMUS_BASE_URL"], access_token=os.environ["VIDIMUS_API_KEY"])
api = made.VerificationsApi(made.ApiClient(configuration))
asked = {"template": "age_over_18", "redirect_url": "https://shop.example.com/done"}
one = api.create_verification(made.CreateVerificationRequest.from_dict(asked), idempotency_key=str(uuid.uuid4()))
assert api.get_verification_status(one.id).status == "pending"
code = present(one.wallet_uri)
read = api.get_verification(one.id)
assert read.status == "completed" and read.claims["age_over_18"] is True, read
assert api.redeem_response_code(one.id, made.RedeemResponseCodeRequest(response_code=code)).id == one.id
assert any(listed.id == one.id for listed in api.list_verifications(limit=20).data)
assert api.erase_verification(one.id).id == one.id
print("openapi-generator: created, waited, read, redeemed, listed, erased")
