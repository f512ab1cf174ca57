"""The tests of comanda.py, against a running service; `python.test.ts` starts it and says where."""

import ast
import base64
import datetime
import hashlib
import hmac
import json
import os
import socket
import threading
import time
import unittest
import uuid
from decimal import Decimal

import comanda as module
from comanda import Comanda, ComandaError, NoAnswer, WebhookError, verify_webhook

URL = os.environ["COMANDA_URL"]
KEY = os.environ["COMANDA_KEY"]
comanda = Comanda(URL, KEY)
front = Comanda(os.environ["FRONT_URL"], KEY)


def fault(**what):
    """A header that makes the proxy fail the first try in this way."""
    return {"X-Fault": f"{uuid.uuid4()} {json.dumps(what)}"}


def order_body(**more):
    return {
        "external_id": f"PO-{uuid.uuid4()}",
        "is_take_away": False,
        "identifier": "Table 4",
        "payment_method_id": comanda.get("/v2/payment-methods")[0]["id"],
        "items": [{"product_id": comanda.get("/v2/products")[0]["id"], "quantity": 2}],
        **more,
    }


class Calls(unittest.TestCase):
    def test_an_order_is_made_read_moved_and_found_by_any_external_id(self):
        external_id = f"A/B 1%?#ñ漢 {uuid.uuid4()}"
        made = comanda.post("/v2/orders", order_body(external_id=external_id))
        self.assertEqual((made["status"], made["total"]), ("pending", Decimal("24.7")))
        self.assertEqual(comanda.get("/v2/orders/{id}", id=made["id"]), made)
        found = comanda.get("/v2/orders/by-external-id/{external_id}", external_id=external_id)
        self.assertEqual(found["id"], made["id"])
        moved = comanda.patch("/v2/orders/{id}/status", {"status": "ready"}, id=made["id"])
        self.assertEqual(moved["status"], "ready")
        listed = comanda.get("/v2/orders", external_id=external_id, from_=datetime.date(2020, 1, 1), status=["ready", "closed"])
        self.assertEqual([each["id"] for each in listed], [made["id"]])
        self.assertEqual(comanda.get("/v2/payments", method="cash", order_id=made["id"])[0]["amount"], Decimal("24.7"))

    def test_amounts_go_out_as_they_are_and_a_deleted_product_is_gone(self):
        price = Decimal("9999999999.97")
        body = {"name": "Gold", "description": "", "price": price, "stock": {"quantity": Decimal("0.125"), "enabled": True, "min_stock_alarm": 0}}
        product = comanda.post("/v2/products", body)
        self.assertEqual((product["price"], product["stock"]["quantity"]), (price, Decimal("0.125")))
        self.assertEqual(comanda.delete("/v2/products/{id}", id=product["id"])["deleted"], True)
        with self.assertRaises(ComandaError) as raised:
            comanda.get("/v2/products/{id}", id=product["id"])
        self.assertEqual((raised.exception.status, raised.exception.code), (404, "resource_not_found"))

    def test_an_answer_has_status_and_headers_and_304_has_no_body(self):
        first = comanda.request("GET", "/v2/catalog")
        again = comanda.request("GET", "/v2/catalog", headers={"If-None-Match": first.headers["ETag"]})
        self.assertEqual((first.status, again.status, again.data), (200, 304, None))

    def test_each_gives_every_entry_page_after_page(self):
        products = list(comanda.each("/v2/products", limit=2, visible=True))
        self.assertGreaterEqual(len(products), 5)
        self.assertEqual(products, comanda.get("/v2/products", limit=200, visible=True))
        self.assertEqual(list(comanda.each("/v2/products", search="no such product")), [])
        self.assertEqual(len(list(comanda.each("/v2/products", limit=2, offset=3))), len(products) - 3)

    def test_a_path_that_is_not_filled_or_a_value_that_has_no_text_is_refused_here(self):
        for call in (
            lambda: comanda.get("/v2/orders/{id}"),
            lambda: comanda.post("/v2/orders", {"a": object()}),
        ):
            self.assertRaises(TypeError, call)
        self.assertRaises(ValueError, lambda: comanda.get("/v2/events", since=datetime.datetime(2026, 1, 1)))
        self.assertRaises(ValueError, lambda: Comanda("localhost:3000", KEY))
        self.assertRaises(ValueError, lambda: Comanda(URL, "two\nlines"))

    def test_threads_may_share_it(self):
        got = []
        threads = [threading.Thread(target=lambda: got.append(comanda.get("/v2/locations/current")["id"])) for _ in range(8)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        self.assertEqual((len(got), len(set(got))), (8, 1))

    def test_the_key_is_not_shown(self):
        self.assertNotIn(KEY, repr(comanda))
        with self.assertRaises(NoAnswer) as raised:
            Comanda("http://127.0.0.1:9", KEY, tries=1).get("/v2/orders")
        self.assertNotIn(KEY, f"{raised.exception} {raised.exception.__cause__}")


class Refusals(unittest.TestCase):
    def test_a_refused_field_is_named(self):
        with self.assertRaises(ComandaError) as raised:
            comanda.post("/v2/orders", order_body(items=[{"product_id": str(uuid.uuid4()), "quantity": 0}], identifier=None))
        error = raised.exception
        self.assertEqual((error.status, error.code), (422, "validation_error"))
        self.assertIn("items[0].quantity", [path for path, _ in error.fields])
        self.assertIn("identifier", [path for path, _ in error.fields])
        self.assertTrue(error.reason and error.request_id and error.request_id in str(error))

    def test_a_taken_external_id_says_who_has_it(self):
        made = comanda.post("/v2/orders", order_body())
        with self.assertRaises(ComandaError) as raised:
            comanda.post("/v2/orders", order_body(external_id=made["external_id"]))
        error = raised.exception
        self.assertEqual((error.status, error.reason, error.fields), (409, "external_id_taken", []))
        self.assertEqual(comanda.get(error.location), made)

    def test_a_permission_that_is_lacking_is_refused_at_once(self):
        with self.assertRaises(ComandaError) as raised:
            Comanda(URL, os.environ["COMANDA_READER"]).get("/v2/products")
        self.assertEqual((raised.exception.status, raised.exception.code), (403, "permission_denied"))

    def test_a_redirect_does_not_take_the_key_along(self):
        with self.assertRaises(ComandaError) as raised:
            front.request("GET", "/v2/orders", headers=fault(status=302, location=os.environ["ELSEWHERE"]))
        self.assertEqual((raised.exception.status, raised.exception.message), (302, "the answer was 302"))


class Repeats(unittest.TestCase):
    def test_an_order_whose_answer_was_lost_is_sent_again_and_made_once(self):
        body = order_body()
        answer = front.request("POST", "/v2/orders", body, headers=fault(drop=True))
        self.assertEqual((answer.status, answer.is_replay), (201, True))
        self.assertEqual(len(comanda.get("/v2/orders", external_id=body["external_id"])), 1)

    def test_a_key_of_ones_own_answers_again_what_was_done(self):
        body, key = order_body(), str(uuid.uuid4())
        first = comanda.post("/v2/orders", body, idempotency_key=key)
        self.assertEqual(comanda.post("/v2/orders", body, idempotency_key=key), first)
        with self.assertRaises(ComandaError) as raised:
            comanda.post("/v2/orders", {**body, "identifier": "Table 5"}, idempotency_key=key)
        self.assertEqual(raised.exception.reason, "idempotency_key_reused")

    def test_what_may_pass_is_asked_again_when_retry_after_says(self):
        for status in (429, 503):
            began = time.monotonic()
            answer = front.request("GET", "/v2/orders", limit=1, headers=fault(status=status, retryAfter=1))
            self.assertEqual(answer.status, 200)
            self.assertGreaterEqual(time.monotonic() - began, 0.99)

    def test_a_wait_that_is_too_long_is_left_to_the_caller(self):
        with self.assertRaises(ComandaError) as raised:
            front.request("GET", "/v2/orders", headers=fault(status=429, retryAfter=86400))
        self.assertEqual((raised.exception.status, raised.exception.retry_after), (429, 86400))

    def test_a_write_that_nobody_answered_can_be_repeated_by_its_key(self):
        with socket.create_server(("127.0.0.1", 0)) as nobody:
            port = nobody.getsockname()[1]
        body = order_body()
        with self.assertRaises(NoAnswer) as raised:
            Comanda(f"http://127.0.0.1:{port}", KEY, tries=2).post("/v2/orders", body)
        key = raised.exception.idempotency_key
        self.assertEqual(comanda.post("/v2/orders", body, idempotency_key=key)["external_id"], body["external_id"])

    def test_an_answer_that_does_not_come_in_time_is_no_answer(self):
        with socket.create_server(("127.0.0.1", 0)) as silent:
            slow = Comanda(f"http://127.0.0.1:{silent.getsockname()[1]}", KEY, tries=1, timeout=0.2)
            self.assertRaises(NoAnswer, lambda: slow.get("/v2/orders"))


class Readings(unittest.TestCase):
    def setUp(self):
        # Alone in the feed: what was changed before is published.
        self.first = self.published(comanda.post("/v2/orders", order_body()))

    def published(self, order):
        for event in comanda.events(types=["order.created"], follow=True, every=0.05):
            if event["data"]["id"] == order["id"]:
                return event

    def test_the_feed_goes_on_after_the_cursor(self):
        reading = comanda.events(after=self.first["id"], types=["order.created"])
        self.assertEqual(list(reading), [])
        self.assertEqual(reading.cursor, self.first["id"])
        orders = [comanda.post("/v2/orders", order_body()) for _ in range(3)]
        self.published(orders[-1])
        reading = comanda.events(after=reading.cursor, types=["order.created"])
        event = next(reading)
        self.assertEqual((event["data"]["id"], reading.cursor), (orders[0]["id"], event["id"]))
        rest = list(comanda.events(after=reading.cursor, types=["order.created"]))
        self.assertEqual([each["data"]["id"] for each in rest], [each["id"] for each in orders[1:]])

    def test_the_feed_begins_with_now_or_with_a_moment(self):
        now = comanda.events(after="latest")
        self.assertEqual(list(now), [])
        self.assertNotIn(now.cursor, (None, "latest"))
        order = comanda.post("/v2/orders", order_body())
        self.published(order)
        self.assertIn(order["id"], [each["data"].get("id") for each in comanda.events(after=now.cursor)])
        hour = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(hours=1)
        self.assertIn(self.first["id"], [each["id"] for each in comanda.events(since=hour)])

    def test_a_cursor_that_the_feed_does_not_know_says_so(self):
        with self.assertRaises(ComandaError) as raised:
            next(comanda.events(after=str(uuid.uuid4())))
        self.assertEqual(raised.exception.reason, "unknown_cursor")

    def test_changes_are_read_from_the_cursor_and_a_page_counts_when_all_of_it_is_done(self):
        since = datetime.datetime(2020, 1, 1, tzinfo=datetime.timezone.utc)
        reading = comanda.changes("/v2/orders", updated_since=since, limit=2)
        next(reading)
        self.assertIsNone(reading.cursor)
        list(reading)
        cursor = reading.cursor
        comanda.patch("/v2/orders/{id}/status", {"status": "ready"}, id=self.first["data"]["id"])
        changed = list(comanda.changes("/v2/orders", cursor=cursor, limit=2))
        self.assertIn((self.first["data"]["id"], "ready"), [(each["id"], each["status"]) for each in changed])
        self.assertRaises(ValueError, lambda: comanda.changes("/v2/orders"))


with open(os.environ["VECTOR"], encoding="utf-8") as file:
    vector = json.load(file)


class Webhooks(unittest.TestCase):
    at = int(vector["timestamp"])
    body = vector["body"].encode()

    def headers(self, **other):
        digest = base64.b64encode(hashlib.sha256(self.body).digest()).decode()
        named = {"id": vector["id"], "timestamp": vector["timestamp"], "signature": vector["signature"], **other}
        return {**{f"Webhook-{name.title()}": text for name, text in named.items()}, "Content-Digest": f"sha-256=:{digest}:"}

    def reason(self, secret=vector["secret"], headers=None, body=None, now=None):
        with self.assertRaises(WebhookError) as raised:
            verify_webhook(secret, headers or self.headers(), self.body if body is None else body, now=now or self.at)
        return raised.exception.reason

    def signed(self, body, secret=vector["secret"]):
        key = base64.b64decode(secret[6:])
        text = f"{vector['id']}.{vector['timestamp']}.".encode() + body
        return "v1," + base64.b64encode(hmac.new(key, text, hashlib.sha256).digest()).decode()

    def test_the_published_vector_is_right_up_to_five_minutes_off(self):
        for now in (self.at - 300, self.at, self.at + 300):
            event = verify_webhook(vector["secret"], self.headers(), self.body, now=now)
            self.assertEqual(event, json.loads(self.body, parse_float=Decimal))

    def test_one_signature_of_several_and_one_secret_of_several_is_enough(self):
        other = "whsec_" + base64.b64encode(b"another").decode()
        both = self.headers(signature=f"v1a,x {self.signed(self.body, other)} {vector['signature']}")
        verify_webhook(vector["secret"], both, self.body, now=self.at)
        verify_webhook([other, vector["secret"]], self.headers(), self.body, now=self.at)

    def test_whatever_is_wrong_is_refused_with_its_reason(self):
        other = "whsec_" + base64.b64encode(b"another").decode()
        altered = self.body.replace(b"12.5", b"1.5")
        self.assertNotEqual(altered, self.body)
        self.assertEqual(self.reason(secret=other), "wrong_secret")
        self.assertEqual(self.reason(secret=vector["secret"][6:]), "wrong_secret")
        self.assertEqual(self.reason(secret=[]), "wrong_secret")
        self.assertEqual(self.reason(body=altered), "altered_body")
        self.assertEqual(self.reason(headers=self.headers(signature=vector["signature"][:-4])), "wrong_secret")
        self.assertEqual(self.reason(headers=self.headers(id="another")), "wrong_secret")
        self.assertEqual(self.reason(headers=self.headers(signature="ñ")), "wrong_secret")
        self.assertEqual(self.reason(now=self.at + 301), "old_timestamp")
        self.assertEqual(self.reason(now=self.at - 301), "future_timestamp")
        for timestamp in ("now", "-5", "1.5", "٣", "9" * 13):
            self.assertEqual(self.reason(headers=self.headers(timestamp=timestamp)), "malformed_header")
        for name in ("id", "timestamp", "signature"):
            self.assertEqual(self.reason(headers=self.headers(**{name: " "})), "missing_header")
        for text in (b'"hello"', b"no JSON", b"\xff"):
            headers = {**self.headers(signature=self.signed(text)), "Content-Digest": ""}
            self.assertEqual(self.reason(headers=headers, body=text), "malformed_body")

    def test_a_parsed_body_is_no_body(self):
        for body in (json.loads(self.body), vector["body"]):
            self.assertRaises(TypeError, lambda: verify_webhook(vector["secret"], self.headers(), body, now=self.at))


class Source(unittest.TestCase):
    def test_it_keeps_to_python_3_9(self):
        with open(module.__file__, encoding="utf-8") as file:
            ast.parse(file.read(), feature_version=(3, 9))


if __name__ == "__main__":
    unittest.main()
