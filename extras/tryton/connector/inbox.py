# SPDX-License-Identifier: Apache-2.0
"""Events, whether a webhook or the feed brought them. They are kept first and worked off afterwards, each once."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import islice
from typing import Any, Callable, Dict, List, Optional

from comanda import Comanda, ComandaError, NoAnswer, Reading, WebhookError, verify_webhook

import orders
import reconcile
from erp import Erp, get_state, notice, set_state, sql

Entry = Dict[str, Any]

#: One says that an order is there, one that it moved, one that it was canceled. The others of an order say the same once more.
TYPES = ["order.created", "order.status_changed", "order.cancelled", "settlement.created"]


def register(comanda: Comanda, erp: Erp, hook: str) -> None:
    """Once: takes a place in the feed, then an endpoint. In this order no event falls between the two."""
    if erp.transact(get_state, "cursor") is None:
        latest = comanda.request("GET", "/v2/events", after="latest")
        erp.transact(set_state, "cursor", latest.body["pagination"]["next"])
    if erp.transact(get_state, f"secret of {hook}") is None:
        # After a kill the same key is answered with the same endpoint, and its secret again.
        wanted = {"url": hook, "events": TYPES}
        endpoint = comanda.post("/v2/webhook-endpoints", wanted, idempotency_key=f"tryton-endpoint-{hook}")
        erp.transact(set_state, f"secret of {hook}", endpoint["secret"])


def keep(events: List[Entry], cursor: Optional[str] = None) -> None:
    """Into the inbox, unless they are there; together with the cursor behind them, when the feed brought them."""
    for event in events:
        if event["type"] in TYPES:
            subject = event["data"].get("order_id") or event["data"]["id"]
            sql(
                "INSERT INTO comanda_inbox (event, type, subject) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING",
                *(event["id"], event["type"], subject),
            )
    if cursor is not None:
        set_state("cursor", cursor)
        # Neither the feed nor a replay reaches back further than 30 days.
        sql("DELETE FROM comanda_inbox WHERE done AND received < now() - interval '40 days'")


def read_feed(comanda: Comanda, erp: Erp) -> None:
    """What came since the cursor. Webhooks are the bell; this misses nothing."""
    try:
        keep_all(erp, comanda.events(after=erp.transact(get_state, "cursor")))
    except ComandaError as error:
        if error.reason != "cursor_not_restored" or error.since is None:
            raise
        keep_all(erp, comanda.events(since=error.since))


def keep_all(erp: Erp, reading: Reading) -> None:
    for events in iter(lambda: list(islice(reading, 200)), []):
        erp.transact(keep, events, events[-1]["id"])


def work_off(comanda: Comanda, erp: Erp) -> None:
    """Reads each subject as it is now; does its work and notes it as done in one transaction."""
    for is_settlement, subject in erp.transact(sql, DUE):
        # Of what comes after it is read nobody knows whether the work has seen it: it is left for the next time.
        events = [event for (event,) in erp.transact(sql, OPEN, subject)]
        try:
            if is_settlement:
                settlement = comanda.get("/v2/settlements/{id}", id=subject)
                entries = list(comanda.each("/v2/settlements/{id}/entries", id=subject))
                erp.transact(work_and_note, events, reconcile.book, settlement, entries)
            else:
                order = comanda.get("/v2/orders/{id}", id=subject, include="details,snapshot")
                erp.transact(work_and_note, events, orders.take, order)
        except (ComandaError, NoAnswer) as fault:
            if getattr(fault, "status", None) != 404:
                raise
            # It is gone, and so is its work.
            erp.transact(work_and_note, events, lambda: None)
        except Exception as fault:  # Tryton refuses in many ways. The others do not wait for this one.
            erp.transact(notice, subject, f"{type(fault).__name__}: {fault}")
            erp.transact(sql, LATER, subject)


DUE = """
SELECT type = 'settlement.created', subject FROM comanda_inbox WHERE NOT done AND try_after <= now()
GROUP BY 1, 2 ORDER BY min(received), 2"""
OPEN = "SELECT event FROM comanda_inbox WHERE subject = %s AND NOT done"
LATER = "UPDATE comanda_inbox SET try_after = now() + interval '1 minute' WHERE subject = %s AND NOT done"


def work_and_note(events: List[str], work: Callable[..., None], *given: Any) -> None:
    work(*given)
    for event in events:
        sql("UPDATE comanda_inbox SET done = true WHERE event = %s", event)


def serve(erp: Erp, port: int, hook: str, wake: threading.Event) -> ThreadingHTTPServer:
    """Takes webhooks: verifies, keeps, answers. The work is done by whoever is woken."""

    class Hook(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            try:
                event = verify_webhook(erp.transact(get_state, f"secret of {hook}") or "", dict(self.headers), body)
                erp.transact(keep, [event])
                self.answer(204)
                wake.set()
            except WebhookError as refusal:
                self.answer(400, str(refusal))

        def answer(self, status: int, text: str = "") -> None:
            self.send_response(status)
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", port), Hook)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server
