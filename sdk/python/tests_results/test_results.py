"""Encrypted results, by the cases that all languages share. Needs the package ``cryptography``."""

from __future__ import annotations

import json
import pathlib
import unittest
from typing import Any

from vidimus import ResultError, Verification, open_result
from vidimus.models import read_verification

CASES = pathlib.Path(__file__).resolve().parents[2] / "cases" / "results.json"


class ResultCases(unittest.TestCase):
    def test_every_case(self) -> None:
        cases = json.loads(CASES.read_text("utf-8"))
        self.assertGreater(len(cases), 20)
        for case in cases:
            with self.subTest(case["name"]):
                self.assertEqual(self.outcome(case), case["expect"])

    def outcome(self, case: Any) -> Any:
        verification = read_verification(case["verification"])
        try:
            opened = open_result(verification, case["keys"], accept_clear=case.get("accept_clear", False))
        except ResultError as error:
            return {"code": error.code}
        # `raw` must contain the same claims, because callers read newer members from it.
        self.assertEqual(opened.raw.get("claims", {}), opened.claims)
        inner = [one.claims for one in opened.credentials]
        self.assertEqual([one["claims"] for one in opened.raw.get("credentials", [])], inner)
        return {"claims": opened.claims, "credentials": inner}

    def test_accepts_one_key_and_does_not_change_the_verification(self) -> None:
        case = json.loads(CASES.read_text("utf-8"))[0]
        verification = read_verification(case["verification"])
        opened = open_result(verification, case["keys"][0])
        self.assertEqual(opened.claims, case["expect"]["claims"])
        self.assertEqual(list(verification.claims), ["$jwe"])

    def test_refuses_to_open_an_event_of_a_newer_type(self) -> None:
        nothing: Any = None
        with self.assertRaises(ResultError):
            open_result(nothing, [])
        made = Verification(id="ver_1", status="completed", created_at="", expires_at="", claims={"a": 1})
        with self.assertRaises(ResultError) as caught:
            open_result(made, [])
        self.assertEqual(caught.exception.code, "not_encrypted")


if __name__ == "__main__":
    unittest.main()
