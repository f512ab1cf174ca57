# An ERP that passes the certification with the role erp: https://…/docs/guides/certify. Needs Python 3.9, and comanda.py beside it.
# SPDX-License-Identifier: Apache-2.0
"""Takes orders by webhooks and from the feed, sends their statuses back, and brings products.

    COMANDA_URL=… COMANDA_KEY=… python3 erp.py 4000 https://erp.example.com

serves webhooks at port 4000, and registers the address that leads to it. A real ERP keeps in its database what is kept in memory here.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Dict, Optional, Set

from comanda import Comanda, ComandaError, NoAnswer, WebhookError, verify_webhook

Entry = Dict[str, Any]


class Erp:
    def __init__(self, comanda: Comanda, hook: str) -> None:
        self.comanda = comanda
        self.orders: Dict[str, str] = {}
        self.known: Set[str] = set()
        self.inbox: "queue.Queue[Entry]" = queue.Queue()
        # Before the endpoint is there, so that no event is lost between the two.
        self.cursor = comanda.request("GET", "/v2/events", after="latest").body["pagination"]["next"]
        wanted = {"url": hook, "events": ["order.created", "order.updated", "order.cancelled"]}
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
                if event["id"] not in self.known:
                    self.work(event)
                    self.known.add(event["id"])
            except NoAnswer as fault:
                print(f"{event['type']} {event['id']}: {fault}; once more in a minute", file=sys.stderr)
                threading.Timer(60, self.inbox.put, [event]).start()
            except ComandaError as refusal:
                print(f"{event['type']} {event['id']}: {refusal}", file=sys.stderr)

    def work(self, event: Entry) -> None:
        order = event["data"]
        if event["type"] == "order.created" and order["id"] not in self.orders:
            self.orders[order["id"]] = order["status"]
            self.cook(order)
            self.send_status(order["id"], "ready")
        elif event["type"] == "order.updated" and self.orders.get(order["id"]) == "pending":
            # It may have been edited. Events may come late: what it is now counts.
            self.cook(self.comanda.get("/v2/orders/{id}", id=order["id"]))
        elif event["type"] == "order.cancelled":
            self.orders[order["id"]] = "canceled"

    def cook(self, order: Entry) -> None:
        """What the kitchen reads: for whom, by when, the lines, and the remarks on them and on the order."""
        print(order.get("identifier") or order["id"], order.get("promised_at", "at once"), order.get("note", ""))
        for line in order.get("items", []):
            print(" ", line["quantity"], line["name"], line.get("comment", ""))

    # Statuses.

    def send_status(self, order_id: str, status: str) -> None:
        try:
            self.comanda.patch("/v2/orders/{id}/status", {"status": status}, id=order_id)
            self.orders[order_id] = status
        except ComandaError as refusal:
            if refusal.status != 409:
                raise
            # It was moved by somebody else meanwhile: what it is now counts, and the move is given up.
            self.orders[order_id] = self.comanda.get("/v2/orders/{id}", id=order_id)["status"]

    # Products.

    def sync_items(self) -> None:
        products = list(self.comanda.each("/v2/products"))[:20]
        items = [{"external_id": each["external_id"], "name": each["name"], "price": each["price"]} for each in products]
        job = self.comanda.post("/v2/sync/products", {"mode": "update", "items": items})
        job_id = job["job_id"]
        while job["status"] in ("queued", "processing"):
            time.sleep(0.5)
            job = self.comanda.get("/v2/sync/jobs/{id}", id=job_id)
        for fault in job["errors"]:
            print(f"{fault['external_id']}: {fault['message']}", file=sys.stderr)


def serve(erp: Erp, server: ThreadingHTTPServer) -> None:
    class Hook(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(erp.receive(self.headers, body))
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    server.RequestHandlerClass = Hook
    threading.Thread(target=server.serve_forever, daemon=True).start()


def follow_certification(erp: Erp) -> None:
    """Does what a person does while a certification waits for one. Statuses are sent without being asked for."""
    actions = {"sync_items": erp.sync_items, "catch_up": erp.catch_up}
    done: Optional[str] = None
    while True:
        newest = erp.comanda.get("/v2/certifications", limit=1)
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
    erp = Erp(comanda, f"{outside}/hook")
    serve(erp, server)
    print("ready", flush=True)
    follow_certification(erp)


if __name__ == "__main__":
    main()
