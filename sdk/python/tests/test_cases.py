"""The cases that all languages share: ``sdk/cases``."""

from __future__ import annotations

import base64
import json
import pathlib
import sys
import unittest
import unittest.mock
from typing import Any, List

from vidimus import VidimusError, WebhookVerificationError, open_result, sign_webhook, verify_webhook
from vidimus.models import read_verification
from vidimus.retry import wait_before_retry

CASES = pathlib.Path(__file__).resolve().parents[2] / "cases"


def load(name: str) -> List[Any]:
    cases = json.loads((CASES / name).read_text("utf-8"))
    assert len(cases) > 20
    return cases  # type: ignore[no-any-return]


class WebhookCases(unittest.TestCase):
    def test_every_case(self) -> None:
        for case in load("webhooks.json"):
            with self.subTest(case["name"]):
                self.assertEqual(self.outcome(case), case["expect"])

    def outcome(self, case: Any) -> Any:
        options = {"tolerance": case["tolerance"]} if "tolerance" in case else {}
        try:
            body = base64.b64decode(case["body"])
            event = verify_webhook(body, case["header"], case["secrets"], now=case["now"], **options)
        except WebhookVerificationError as error:
            return {"code": error.code}
        verification = event.verification
        if verification is None:
            self.assertFalse(event.is_known)
            return {"type": event.type, "id": None}
        return {"type": event.type, "id": verification.id, "status": verification.status}

    def test_signs_like_the_service(self) -> None:
        case = load("webhooks.json")[0]
        body = base64.b64decode(case["body"])
        self.assertEqual(sign_webhook(body, case["secrets"], now=case["now"] + 0.9), case["header"])

    def test_names_the_cause_if_the_body_was_parsed(self) -> None:
        case = load("webhooks.json")[0]
        with self.assertRaises(WebhookVerificationError) as caught:
            verify_webhook({"type": "x"}, case["header"], case["secrets"])  # type: ignore[arg-type]
        self.assertEqual(caught.exception.code, "invalid_body")

    def test_accepts_text_and_one_secret_and_uses_the_clock_of_the_machine(self) -> None:
        body = base64.b64decode(load("webhooks.json")[0]["body"]).decode()
        secret = "whsec_" + "x" * 43
        self.assertEqual(verify_webhook(body, sign_webhook(body, secret), secret).type, "verification.completed")
        for tolerance in (-1, float("nan"), float("inf")):
            with self.assertRaises(ValueError):
                verify_webhook(body, sign_webhook(body, secret), secret, tolerance=tolerance)


class WithoutCryptography(unittest.TestCase):
    def test_says_what_to_install(self) -> None:
        case = load("results.json")[0]
        names = [name for name in sys.modules if name.split(".")[0] == "cryptography"]
        # None makes an import fail, whether the package is installed or not.
        with unittest.mock.patch.dict(sys.modules, {name: None for name in [*names, "cryptography"]}):
            with self.assertRaisesRegex(ImportError, r"pip install vidimus\[results\]"):
                open_result(read_verification(case["verification"]), case["keys"])


class RetryCases(unittest.TestCase):
    def test_every_case(self) -> None:
        for case in load("retries.json"):
            for chance in (0.0, 0.5, 0.999999):
                with self.subTest(case["name"], chance=chance):
                    given = case["error"]
                    error = VidimusError(
                        given["code"], "no", status=given["status"], retry_after=given["retry_after"]
                    )
                    wait = wait_before_retry(error, **case["call"], **case["terms"], chance=chance)
                    if case["expect"] is None:
                        self.assertIsNone(wait)
                    else:
                        assert wait is not None
                        self.assertTrue(case["expect"]["least"] <= wait <= case["expect"]["most"], wait)


if __name__ == "__main__":
    unittest.main()
