# SPDX-License-Identifier: Apache-2.0
"""Stock moves of Tryton as adjustments: what came in or went out. A count would give back what was sold meanwhile."""

from __future__ import annotations

import uuid
from collections import defaultdict
from decimal import Decimal
from typing import Dict, List, Tuple

from comanda import Comanda, ComandaError
from trytond.pool import Pool

from erp import Erp, notice, sql

#: More articles than this at once are one batch job; fewer are a request each, which uses none of the jobs of an hour.
SINGLY = 20
BATCH = 500

NEW = """
SELECT m.id, c.external_id FROM stock_move m
JOIN product_product p ON p.id = m.product
JOIN comanda_sent c ON c.kind = 'product' AND c.external_id = p.code
LEFT JOIN comanda_move seen ON seen.move = m.id
WHERE m.state = 'done' AND seen.move IS NULL"""

WAITING = "SELECT call, external_id, quantity FROM comanda_adjustment WHERE call IS NOT NULL ORDER BY call, external_id"
OWED = "DELETE FROM comanda_adjustment WHERE call IS NULL AND external_id = %s RETURNING quantity"


def collect() -> None:
    """Takes each move that was done into account once. The first time these are all moves: the opening balance."""
    sums: Dict[str, Decimal] = defaultdict(Decimal)
    new = dict(sql(NEW))
    shelves = {each.id for each in Pool().get("stock.location").search([("parent", "child_of", storages())])}
    for move in Pool().get("stock.move").browse(list(new)):
        sql("INSERT INTO comanda_move (move) VALUES (%s)", move.id)
        # Orders of Comanda have taken from its stock already.
        if not is_of_comanda(move):
            came = (move.to_location.id in shelves) - (move.from_location.id in shelves)
            sums[new[move.id]] += came * Decimal(str(move.internal_quantity))
    for name in sums:
        # What was sold and was not there is owed: it comes off what comes in.
        for (owed,) in sql(OWED, name):
            sums[name] += owed
    rows = [(name, quantity) for name, quantity in sums.items() if quantity != 0]
    size = 1 if len(rows) <= SINGLY else BATCH
    for start in range(0, len(rows), size):
        call = f"tryton-stock-{uuid.uuid4()}"
        for name, quantity in rows[start : start + size]:
            sql("INSERT INTO comanda_adjustment (call, external_id, quantity) VALUES (%s, %s, %s)", call, name, quantity)


def storages() -> List[int]:
    return [each.storage_location.id for each in Pool().get("stock.location").search([("type", "=", "warehouse")])]


def is_of_comanda(move: object) -> bool:
    shipment = getattr(move, "shipment", None)
    moves = getattr(shipment, "outgoing_moves", None) or [move]
    sales = [each.sale.id for each in moves if each.sale]
    return bool(sales) and bool(sql("SELECT 1 FROM comanda_order WHERE sale = ANY(%s)", sales))


def bring(comanda: Comanda, erp: Erp) -> None:
    """Sends what was collected. After a kill a call has the same key and the same body, and adds nothing twice."""
    erp.transact(collect)
    calls: Dict[str, List[Tuple[str, Decimal]]] = defaultdict(list)
    for call, name, quantity in erp.transact(sql, WAITING):
        calls[call].append((name, quantity))
    for call, rows in calls.items():
        refused = send_one(comanda, erp, call, *rows[0]) if len(rows) == 1 else send_all(comanda, erp, call, rows)
        erp.transact(settle, call, dict(rows), refused)


def send_one(comanda: Comanda, erp: Erp, call: str, name: str, quantity: Decimal) -> Dict[str, Decimal]:
    """What is there of an article that was refused, by its name; nothing when it was done."""
    [(product,)] = erp.transact(sql, "SELECT id FROM comanda_sent WHERE kind = 'product' AND external_id = %s", name)
    try:
        comanda.post("/v2/products/{id}/stock/adjust", {"adjust": quantity}, idempotency_key=call, id=product)
    except ComandaError as error:
        if error.status not in (404, 409, 422):
            raise
        return look_at(comanda, erp, name, str(error))
    return {}


def send_all(comanda: Comanda, erp: Erp, call: str, rows: List[Tuple[str, Decimal]]) -> Dict[str, Decimal]:
    """The same of many. A batch that was answered may have refused some of its items."""
    items = [{"external_id": name, "adjust": quantity} for name, quantity in rows]
    answer = comanda.post("/v2/stock/sync", {"items": items}, idempotency_key=call)
    refused: Dict[str, Decimal] = {}
    for error in answer["errors"]:
        refused.update(look_at(comanda, erp, rows[error["index"]][0], error["message"]))
    return refused


def look_at(comanda: Comanda, erp: Erp, name: str, message: str) -> Dict[str, Decimal]:
    """What is there of an article whose adjustment was refused. One that is no longer there needs a person."""
    try:
        found = comanda.get("/v2/products/by-external-id/{external_id}", external_id=name)
    except ComandaError as error:
        if error.status != 404:
            raise
        erp.transact(notice, name, message)
        return {}
    return {name: Decimal(found["stock"]["quantity"])}


def settle(call: str, sent: Dict[str, Decimal], refused: Dict[str, Decimal]) -> None:
    """
    Notes a call as done. What was refused and fits what is there is sent again. Where more went out than is there, all that
    is there goes, and the rest is owed.
    """
    sql("DELETE FROM comanda_adjustment WHERE call = %s", call)
    for name, there in refused.items():
        now = max(sent[name], -there)
        if now != sent[name]:
            notice(name, f"{(now - sent[name]).normalize():f} more were sold than there are")
        for key, quantity in ((f"tryton-stock-{uuid.uuid4()}", now), (None, sent[name] - now)):
            if quantity != 0:
                sql("INSERT INTO comanda_adjustment (call, external_id, quantity) VALUES (%s, %s, %s)", key, name, quantity)
