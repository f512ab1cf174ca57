# SPDX-License-Identifier: Apache-2.0
"""What Tryton's people did with a shipment, as the status of its order."""

from __future__ import annotations

from typing import List, Tuple

from comanda import Comanda, ComandaError
from trytond.pool import Pool

import orders
from erp import Erp, notice, sql

#: State of the shipment: what the order becomes, step by step. Any other state says nothing yet.
STEPS = {"packed": ["ready"], "done": ["ready", "closed"], "cancelled": ["canceled"]}
ORDER = ["pending", "ready", "closed"]
OPEN = """
SELECT id, number, status, sale FROM comanda_order
WHERE status IN ('pending', 'ready') AND sale IS NOT NULL ORDER BY number"""


def wanted() -> List[Tuple[str, int, str, List[str]]]:
    """Orders that are behind their shipment."""
    behind = []
    for order, number, status, sale in sql(OPEN):
        states = {shipment.state for shipment in Pool().get("sale.sale")(sale).shipments}
        # One order, one shipment: with several nobody knows which of them the guest waits for.
        steps = STEPS.get(states.pop(), []) if len(states) == 1 else []
        steps = [step for step in steps if step == "canceled" or ORDER.index(step) > ORDER.index(status)]
        if steps:
            behind.append((order, number, status, steps))
    return behind


def send(comanda: Comanda, erp: Erp) -> None:
    """Moves what is behind. The key is the order's and the step's, so a repeat after a kill is answered as the first was."""
    for order, number, _, steps in erp.transact(wanted):
        for step in steps:
            key = f"tryton-{order}-{step}"
            try:
                if step == "canceled":
                    body = {"reason": "canceled in Tryton"}
                    now = comanda.post("/v2/orders/{id}/cancel", body, idempotency_key=key, id=order)
                else:
                    now = comanda.patch("/v2/orders/{id}/status", {"status": step}, idempotency_key=key, id=order)
            except ComandaError as error:
                if error.status != 409:
                    raise
                # Somebody was faster: the kitchen, or a guest that canceled. As it is now, so it is here; it is not sent again.
                now = comanda.get("/v2/orders/{id}", id=order)
                if now["status"] != step:
                    erp.transact(notice, f"Comanda {number}", f"could not become {step}: it is {now['status']}")
            erp.transact(orders.take, now)
            if now["status"] != step:
                break
