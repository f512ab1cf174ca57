# SPDX-License-Identifier: Apache-2.0
"""The day: every entry of a settlement booked once, and the sales of Tryton compared with them, to the cent."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any, Dict, List

from comanda import Comanda
from trytond.pool import Pool

from erp import Erp, sql

Entry = Dict[str, Any]


def book(settlement: Entry, entries: List[Entry]) -> None:
    """Keeps the entries of a settlement. Their sum is its total, or nothing is kept."""
    collected = sum((Decimal(each["amount"]) for each in entries if each["kind"] != "refund"), Decimal(0))
    if collected != Decimal(settlement["total_collected"]):
        raise ValueError(f"entries of {collected} in a settlement of {settlement['total_collected']}")
    for each in entries:
        sql(
            """INSERT INTO comanda_entry (id, settlement, "order", kind, amount) VALUES (%s, %s, %s, %s, %s)
            ON CONFLICT DO NOTHING""",
            *(each["id"], settlement["id"], each["order_id"], each["kind"], each["amount"]),
        )


def day(comanda: Comanda, erp: Erp, date: datetime.date) -> Entry:
    """A day in figures of both sides, and every order in which they differ."""
    report = comanda.get("/v2/sales-reports", from_=date, to=date, group_by="tax_rate")
    # Both round the tax line by line: of a half cent one makes a cent, the other none. The totals agree all the same.
    tax = sum((Decimal(row.get("tax", 0)) for row in report["rows"]), Decimal(0))
    return {"report": Decimal(report["total_amount"]), "report_tax": tax, **erp.transact(in_tryton, date)}


def in_tryton(date: datetime.date) -> Entry:
    figures: Entry = {name: Decimal(0) for name in ("sales", "tax", "invoices", "collected", "uncollected", "refunded")}
    differences = []
    for order, number, status, total, sale in sql(
        "SELECT id, number, status, total, sale FROM comanda_order WHERE day = %s ORDER BY number", date
    ):
        paid = dict(sql('SELECT kind = \'refund\', sum(amount) FROM comanda_entry WHERE "order" = %s GROUP BY 1', order))
        collected, refunded = paid.get(False, Decimal(0)), paid.get(True, Decimal(0))
        figures["collected"] += collected
        figures["refunded"] += refunded
        if status == "canceled":
            if collected + refunded != 0:
                differences.append(f"{number}: canceled, and {collected + refunded} of it are not given back")
            continue
        record = Pool().get("sale.sale")(sale)
        invoiced = sum((each.total_amount for each in record.invoices if each.state != "cancelled"), Decimal(0))
        figures["sales"] += record.total_amount
        figures["tax"] += record.tax_amount
        figures["invoices"] += invoiced
        figures["uncollected"] += record.total_amount - collected
        if not total == record.total_amount == invoiced:
            differences.append(f"{number}: {total} in Comanda, sold for {record.total_amount}, invoiced {invoiced}")
        if collected not in (0, total):
            differences.append(f"{number}: {collected} collected of {total}")
    return {**figures, "differences": differences}
