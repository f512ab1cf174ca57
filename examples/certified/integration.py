# An integration that passes the certification: https://…/docs/guides/certify. Needs Python 3.9, and comanda.py beside it.
# SPDX-License-Identifier: Apache-2.0
"""Keeps a copy of the catalog, takes webhooks, catches up from the feed, places orders.

    COMANDA_URL=… COMANDA_KEY=… python3 integration.py 4000 https://erp.example.com

serves webhooks at port 4000, and registers what stands behind it. What a real one keeps in its database stands in memory here.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Dict, Optional, Set

from comanda import Comanda, ComandaError, NoAnswer, WebhookError, verify_webhook

Entry = Dict[str, Any]


class Integration:
    def __init__(self, comanda: Comanda, hook: str) -> None:
        self.comanda = comanda
        self.catalog: Optional[Entry] = None
        self.version = 0
        self.products: Dict[str, Entry] = {}
        self.placed: Dict[str, Entry] = {}
        self.known: Set[str] = set()
        self.inbox: "queue.Queue[Entry]" = queue.Queue()
        # Before the endpoint is there, so that nothing falls between the two.
        self.cursor = comanda.request("GET", "/v2/events", after="latest").body["pagination"]["next"]
        self.pull_catalog()
        wanted = {"url": hook, "events": ["catalog.updated", "order.cancelled", "payment.rejected"]}
        self.secret = comanda.post("/v2/webhook-endpoints", wanted)["secret"]
        threading.Thread(target=self.work_off, daemon=True).start()

    # Events, whether a webhook brought them or the feed.

    def receive(self, headers: Any, body: bytes) -> int:
        """The status to answer a delivery with. The work is done afterwards."""
        try:
            self.inbox.put(verify_webhook(self.secret, headers, body))
        except WebhookError:
            return 400
        return 204

    def catch_up(self) -> None:
        """After an outage, and once an hour."""
        reading = self.comanda.events(after=self.cursor)
        for event in reading:
            self.inbox.put(event)
        self.cursor = reading.cursor

    def work_off(self) -> None:
        while True:
            event = self.inbox.get()
            try:
                self.work(event)
            except (ComandaError, NoAnswer) as fault:
                print(f"{event['type']} {event['id']}: {fault}; once more in a minute", file=sys.stderr)
                threading.Timer(60, self.inbox.put, [event]).start()

    def work(self, event: Entry) -> None:
        if not self.is_news(event):
            return
        if event["type"] == "catalog.updated":
            self.pull_catalog()
            self.version = event["data"]["version"]
        elif event["type"] == "order.cancelled":
            self.learn_of_cancelled(event["data"])
        elif event["type"] == "payment.rejected" and event["data"]["order_id"] in self.placed:
            self.pay_again(event["data"])
        self.known.add(event["id"])

    def is_news(self, event: Entry) -> bool:
        """An event may come twice, and an old one late."""
        if event["id"] in self.known:
            return False
        return event["type"] != "catalog.updated" or event["data"]["version"] > self.version

    def learn_of_cancelled(self, order: Entry) -> None:
        now = self.comanda.get("/v2/orders/{id}", id=order["id"])
        print(f"order {now['number']} is {now['status']}: {now.get('cancel_reason', 'no reason given')}")

    # The catalog and lists.

    def pull_catalog(self) -> None:
        self.catalog = self.comanda.get("/v2/catalog")

    def read_products(self) -> None:
        self.products = {product["id"]: product for product in self.comanda.each("/v2/products")}
        print(f"{len(self.products)} products")

    # Orders.

    def place_order(self) -> None:
        product = self.comanda.get("/v2/products/by-external-id/{external_id}", external_id="DR-02")
        method = next(self.comanda.each("/v2/payment-methods"))
        # Made once, kept with the order: every repeat carries it.
        number = f"ERP-{uuid.uuid4()}"
        order = {
            "external_id": number,
            "identifier": "Table 4",
            "is_take_away": False,
            "customer": {"name": "Ana Silva"},
            "note": "Call me by my name",
            "payment_method_id": method["id"],
            "items": [{"product_id": product["id"], "quantity": 1}],
        }
        try:
            placed = self.send_order(order, number)
            self.placed[placed["id"]] = placed
            print(f"order {placed['number']} is {placed['status']}")
        except ComandaError as refusal:
            if refusal.reason != "out_of_stock":
                raise
            left = self.comanda.get("/v2/products/{id}", id=product["id"])
            print(f"no {left['name']} left: the guest chooses something else")

    def send_order(self, order: Entry, number: str) -> Entry:
        """While the location is paused the order waits, and is sent again with its key."""
        while True:
            try:
                return self.comanda.post("/v2/orders", order, idempotency_key=number)
            except ComandaError as refusal:
                if refusal.reason != "location_paused":
                    raise
                # It may be resumed before its end.
                wait = min(60.0, refusal.retry_after or 60.0)
                print(f"{refusal.message} Once more in {wait:.0f} s", flush=True)
                time.sleep(wait)

    def pay_again(self, payment: Entry) -> None:
        """The guest's card was refused: the order stays, and gets another payment, once."""
        method = {"payment_method_id": self.placed[payment["order_id"]]["payment_method_id"]}
        key = f"after {payment['id']}"
        try:
            self.comanda.post("/v2/orders/{id}/payments", method, id=payment["order_id"], idempotency_key=key)
        except ComandaError as refusal:
            # Of a canceled order, and of one that somebody else took a payment of, there is nothing to pay.
            if refusal.status != 409:
                raise


def serve(integration: Integration, server: ThreadingHTTPServer) -> None:
    class Hook(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(integration.receive(self.headers, body))
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    server.RequestHandlerClass = Hook
    threading.Thread(target=server.serve_forever, daemon=True).start()


def follow_certification(integration: Integration) -> None:
    """Does what a person does while a certification waits for one."""
    actions = {
        "place_order": integration.place_order,
        "read_products": integration.read_products,
        "catch_up": integration.catch_up,
    }
    done = None
    while True:
        newest = integration.comanda.get("/v2/certifications", limit=1)
        waiting = newest[0].get("waiting_for") if newest else None
        if waiting is not None and waiting["until"] != done and waiting["action"] in actions:
            done = waiting["until"]
            try:
                actions[waiting["action"]]()
            except (ComandaError, NoAnswer) as fault:
                print(fault, file=sys.stderr)
        time.sleep(1)


def main() -> None:
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
    server = ThreadingHTTPServer(("127.0.0.1", port), BaseHTTPRequestHandler)
    outside = sys.argv[2] if len(sys.argv) > 2 else f"http://127.0.0.1:{server.server_port}"
    comanda = Comanda(os.environ["COMANDA_URL"], os.environ["COMANDA_KEY"])
    integration = Integration(comanda, f"{outside}/hook")
    serve(integration, server)
    print("ready", flush=True)
    follow_certification(integration)


if __name__ == "__main__":
    main()
