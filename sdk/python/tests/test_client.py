from __future__ import annotations

import pickle
import socket
import unittest
from typing import Any, List

import vidimus
from vidimus import ErrorCode, Vidimus
from tests.scripted_service import Answer, ScriptedService, refused, verification

KEY = "vk_test_" + "k" * 38


class ClientTest(unittest.TestCase):
    def setUp(self) -> None:
        self.service = ScriptedService()
        self.addCleanup(self.service.close)
        self.waits: List[float] = []
        self.now = 0.0

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds

    def client(self, **change: Any) -> Vidimus:
        return Vidimus(
            change.pop("base_url", self.service.url),
            change.pop("api_key", KEY),
            **{"sleep": self.sleep, "clock": lambda: self.now, **change},
        )

    def script(self, *answers: Answer) -> None:
        self.service.script = list(answers)


class RequestTest(ClientTest):
    def test_sends_the_passed_members_and_no_others(self) -> None:
        self.script(Answer(201, verification(wallet_uri="openid4vp://x")))
        made = self.client().verifications.create(
            template="age_over_18",
            purpose="Grüße",
            metadata={"order": "17"},
            browser_binding="none",
            idempotency_key="order-17",
        )
        self.assertEqual(made.wallet_uri, "openid4vp://x")
        [request] = self.service.requests
        self.assertEqual((request.method, request.path), ("POST", "/v1/verifications"))
        given = {"template": "age_over_18", "purpose": "Grüße", "metadata": {"order": "17"}, "browser_binding": "none"}
        self.assertEqual(request.body, given)
        self.assertEqual(request.headers["authorization"], f"Bearer {KEY}")
        self.assertEqual(request.headers["idempotency-key"], "order-17")
        self.assertEqual(request.headers["content-type"], "application/json")

    def test_does_not_send_the_key_where_the_route_needs_none(self) -> None:
        device = {"id": "d", "name": "Till", "status": "active", "allowed_templates": ["a"], "created_at": "x"}
        pair = {"access_token": "vd_1", "refresh_token": "vdr_1", "token_type": "Bearer", "expires_in": 900}
        pair = {**pair, "refresh_expires_in": 9000, "device": device}
        self.script(Answer(200, {"id": "ver_1", "status": "pending"}), Answer(200, pair), Answer(200, pair))
        client = self.client()
        client.verifications.status("ver_1")
        self.assertEqual(client.devices.enroll("VD-AAAA-AAAA").device.name, "Till")
        shown = repr(client.devices.refresh("vdr_0"))
        self.assertNotIn("vd_1", shown)
        self.assertNotIn("vdr_1", shown)
        for request in self.service.requests:
            self.assertNotIn("authorization", request.headers)

    def test_escapes_ids_and_refuses_ids_of_other_routes(self) -> None:
        client = self.client()
        for bad in ("", ".", ".."):
            for act in (client.verifications.get, client.verifications.erase, client.devices.revoke):
                with self.assertRaises(ValueError):
                    act(bad)
        self.script(refused(404, "session_not_found"))
        with self.assertRaises(vidimus.NotFoundError):
            client.verifications.get("../usage?a=b#c")
        self.assertEqual(self.service.requests[0].path, "/v1/verifications/..%2Fusage%3Fa%3Db%23c")
        self.assertEqual(client.verifications.hosted_url("ver_1/x"), f"{self.service.url}/verify/ver_1%2Fx")

    def test_requires_exactly_one_of_template_and_query(self) -> None:
        for given in ({}, {"template": "a", "query": {"credentials": [{}]}}):
            with self.assertRaises(ValueError):
                self.client().verifications.create(**given)  # type: ignore[arg-type]

    def test_checks_an_idempotency_key_before_it_sends_a_request(self) -> None:
        for bad in ("", "a b", "a\nb", "ä", "x" * 256):
            with self.assertRaises(ValueError):
                self.client().verifications.create(template="a", idempotency_key=bad)

    def test_iterates_over_all_pages(self) -> None:
        pages = [["3", "2"], ["1"]]
        self.script(*(Answer(200, {"data": [verification(id=i, created_at=i) for i in page]}) for page in pages))
        self.assertEqual([v.id for v in self.client().verifications.all(page_size=2)], ["3", "2", "1"])
        self.assertEqual(
            [a.path for a in self.service.requests],
            ["/v1/verifications?limit=2", "/v1/verifications?limit=2&before=2"],
        )

    def test_iterates_by_status_beyond_pages_without_a_match(self) -> None:
        pages = [[("3", "pending"), ("2", "pending")], [("1", "expired")]]
        self.script(
            *(
                Answer(200, {"data": [verification(id=i, created_at=i, status=status) for i, status in page]})
                for page in pages
            )
        )
        found = [v.id for v in self.client().verifications.all(page_size=2, status="expired")]
        self.assertEqual(found, ["1"])
        self.assertEqual(self.service.requests[0].path, "/v1/verifications?limit=2")


class RetryTest(ClientTest):
    def test_retries_a_creation_with_the_same_idempotency_key(self) -> None:
        self.script(Answer(broken=True), refused(503, "unavailable", Retry_After="2"), Answer(201, verification()))
        self.client().verifications.create(template="a")
        keys = {request.headers["idempotency-key"] for request in self.service.requests}
        self.assertEqual((len(self.service.requests), len(keys)), (3, 1))
        self.assertTrue(0.125 <= self.waits[0] <= 0.25 and 2 <= self.waits[1] <= 2.25, self.waits)

    def test_each_creation_has_its_own_idempotency_key(self) -> None:
        self.script(Answer(201, verification()), Answer(201, verification()))
        for _ in range(2):
            self.client().verifications.create(template="a")
        self.assertEqual(len({request.headers["idempotency-key"] for request in self.service.requests}), 2)

    def test_does_not_retry_calls_that_are_not_idempotent(self) -> None:
        client = self.client()
        for act in (
            lambda: client.verifications.redeem("ver_1", "c" * 43),
            lambda: client.devices.enroll("VD-AAAA-AAAA"),
            lambda: client.devices.refresh("vdr_x"),
            lambda: client.devices.register(name="Till", allowed_templates=["a"]),
        ):
            self.service.requests.clear()
            self.script(Answer(broken=True))
            with self.assertRaises(vidimus.ConnectionFailedError) as caught:
                act()
            self.assertEqual(len(self.service.requests), 1)
            self.assertIsNone(caught.exception.status)

    def test_gives_up_after_the_last_attempt(self) -> None:
        self.script(*(Answer(502, text=b"<h1>Bad gateway</h1>") for _ in range(4)))
        with self.assertRaises(vidimus.UnexpectedAnswerError) as caught:
            self.client().usage()
        self.assertEqual((caught.exception.status, len(self.service.requests)), (502, 4))


class WaitTest(ClientTest):
    def test_polls_with_growing_pauses_and_reads_once_at_the_end(self) -> None:
        pending = [Answer(200, {"id": "ver_1", "status": "pending"}) for _ in range(10)]
        done = Answer(200, {"id": "ver_1", "status": "a_state_of_later"})
        self.script(*pending, done, Answer(200, verification(status="a_state_of_later")))
        self.assertEqual(self.client().verifications.wait_for_result("ver_1").status, "a_state_of_later")
        self.assertEqual(self.waits[:3], [1.0, 1.25, 1.5625])
        self.assertEqual(max(self.waits), 5.0)
        self.assertEqual(self.service.requests[-1].path, "/v1/verifications/ver_1")

    def test_waits_through_a_network_failure_and_a_rate_limit(self) -> None:
        away = [Answer(broken=True) for _ in range(2)]
        busy = [refused(429, "rate_limit_exceeded", Retry_After="20") for _ in range(2)]
        done = Answer(200, {"id": "ver_1", "status": "completed"})
        self.script(*away, *busy, done, Answer(200, verification(status="completed")))
        self.client(retries=0).verifications.wait_for_result("ver_1")
        self.assertEqual(self.waits, [1.0, 1.25, 20, 20])

    def test_stops_waiting_at_its_timeout_and_for_an_unknown_verification(self) -> None:
        self.script(*(Answer(200, {"id": "ver_1", "status": "pending"}) for _ in range(20)))
        with self.assertRaises(vidimus.TimedOutError):
            self.client().verifications.wait_for_result("ver_1", timeout=10)
        self.assertLessEqual(self.now, 10)
        self.script(refused(404, "session_not_found"))
        with self.assertRaises(vidimus.NotFoundError):
            self.client().verifications.wait_for_result("ver_2")


class FailureTest(ClientTest):
    def test_every_refusal_has_its_class_and_names_the_request(self) -> None:
        for status, code, kind in (
            (400, "invalid_request", vidimus.InvalidRequestError),
            (401, "invalid_api_key", vidimus.AuthenticationError),
            (403, "insufficient_scope", vidimus.PermissionDeniedError),
            (404, "session_not_found", vidimus.NotFoundError),
            (409, "session_already_responded", vidimus.ConflictError),
            (422, "unknown_template", vidimus.InvalidRequestError),
            (429, "rate_limit_exceeded", vidimus.RateLimitError),
            (429, "quota_exceeded", vidimus.QuotaExceededError),
            (500, "internal_error", vidimus.ServerError),
            (503, "unavailable", vidimus.ServerError),
            (418, "a_code_of_later", vidimus.VidimusError),
        ):
            self.script(refused(status, code, Request_Id="req_1", Retry_After="9"))
            with self.assertRaises(vidimus.VidimusError) as caught:
                self.client(retries=0).usage()
            error = caught.exception
            self.assertIs(type(error), kind)
            self.assertEqual((error.code, error.status, error.request_id, error.retry_after), (code, status, "req_1", 9))
            self.assertEqual(str(error), f"{code}: no (req_1)")
            self.assertEqual(vars(pickle.loads(pickle.dumps(error))), vars(error))

    def test_reports_a_timeout_if_the_service_does_not_answer(self) -> None:
        self.script(Answer(silent=True))
        with self.assertRaises(vidimus.TimedOutError) as caught:
            self.client(retries=0, timeout=0.05).usage()
        self.assertEqual(caught.exception.code, ErrorCode.TIMEOUT)

    def test_reports_a_timeout_if_the_service_sends_single_bytes(self) -> None:
        self.script(Answer(200, {}, drips=True))
        with self.assertRaises(vidimus.TimedOutError):
            self.client(retries=0, timeout=0.5).usage()

    def test_retries_a_read_after_an_incomplete_answer(self) -> None:
        self.script(Answer(200, verification(), cut=True), Answer(200, verification()))
        self.assertEqual(self.client().verifications.get("ver_1").id, "ver_1")
        self.script(Answer(404, {"error": {}}, cut=True))
        with self.assertRaises(vidimus.ConnectionFailedError):
            self.client(retries=0).verifications.get("ver_1")

    def test_names_the_system_error_of_an_unreachable_service(self) -> None:
        with socket.socket() as gone:
            gone.bind(("127.0.0.1", 0))
            port = gone.getsockname()[1]
        with self.assertRaisesRegex(vidimus.ConnectionFailedError, "ECONNREFUSED"):
            self.client(base_url=f"http://127.0.0.1:{port}", retries=0).usage()

    def test_does_not_follow_a_redirect(self) -> None:
        self.script(Answer(302, text=b"", headers={"Location": f"{self.service.url}/elsewhere"}))
        with self.assertRaises(vidimus.UnexpectedAnswerError):
            self.client().usage()
        self.assertEqual(len(self.service.requests), 1)

    def test_refuses_answers_that_are_not_from_the_service(self) -> None:
        for answer in (
            Answer(200, text=b"<html>"),
            Answer(200, []),
            Answer(200, {}),
            Answer(200, verification(id=None)),
            Answer(200, verification(claims=[])),
            Answer(200, text=b"\xff"),
            Answer(404, text=b"<html>"),
            Answer(404, {"error": {"code": 1, "message": "x"}}),
        ):
            self.script(answer)
            with self.assertRaises(vidimus.UnexpectedAnswerError):
                self.client().verifications.get("ver_1")

    def test_accepts_members_and_values_of_newer_services(self) -> None:
        credential = {"format": "jwt_of_later", "doctype_or_vct": "x", "claims": {}, "issuer": {"later": 1}, "findings": []}
        self.script(Answer(200, verification(status="reviewing", later={"a": [1]}, credentials=[credential])))
        read = self.client().verifications.get("ver_1")
        self.assertEqual((read.status, read.raw["later"]), ("reviewing", {"a": [1]}))
        self.assertFalse(read.credentials[0].trusted)

    def test_refuses_wrong_options_at_once_without_showing_the_key(self) -> None:
        for bad in ("", "vk_", "sk_live_abc", KEY + "\n", " " + KEY, None):
            with self.assertRaises(ValueError) as caught:
                self.client(api_key=bad)
            self.assertNotIn(KEY, str(caught.exception))
        for base_url in ("", "verify.example.com", "ftp://x", "https://user:pass@x", "https://x/?a=b", "https://x:y", "http://", None):
            with self.assertRaises(ValueError, msg=str(base_url)):
                self.client(base_url=base_url)
        for option in ({"timeout": 0}, {"retries": -1}, {"longest_wait": float("nan")}):
            with self.assertRaises(ValueError):
                self.client(**option)

    def test_a_printed_verification_shows_neither_claims_nor_metadata(self) -> None:
        claims = {"family_name": "Mustermann"}
        credential = {"format": "dc+sd-jwt", "doctype_or_vct": "x", "claims": claims, "issuer": {}, "findings": []}
        url = "https://shop.example/?response_code=Mustermann"
        members = {"claims": claims, "credentials": [credential], "metadata": {"who": "Mustermann"}, "redirect_url": url}
        self.script(Answer(200, verification(**members)))
        found = self.client().verifications.get("ver_1")
        self.assertEqual(found.claims, claims)
        for shown in (repr(found), str(found), repr([found]), repr(found.credentials)):
            self.assertNotIn("Mustermann", shown)
        self.assertIn("ver_1", repr(found))

    def test_neither_client_nor_errors_show_the_key(self) -> None:
        client = self.client(retries=0)
        shown = [repr(client), str(vars(client)), repr(client.verifications), str(vars(client.verifications))]
        self.script(Answer(broken=True))
        with self.assertRaises(vidimus.VidimusError) as caught:
            client.verifications.redeem("ver_1", "c" * 43)
        error = caught.exception
        self.assertIsNone(error.__cause__)
        self.assertIsNone(error.__context__)
        shown += [repr(error), str(vars(error))]
        for text in shown:
            self.assertNotIn(KEY, text)
            self.assertNotIn("c" * 43, text)
        with self.assertRaises(TypeError):
            pickle.dumps(client)


if __name__ == "__main__":
    unittest.main()
