# SPDX-License-Identifier: Apache-2.0
"""Orders of Comanda as sales of Tryton. Each function does its work in the transaction that is open."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any, Dict, List

from trytond.pool import Pool

from amounts import CENT, rate_of, taxes_of, unit_price
from erp import notice, sql

Entry = Dict[str, Any]


def take(order: Entry) -> None:
    """Takes an order as it is now. It may come again, late, or canceled before it was here."""
    known = sql("SELECT status, sale FROM comanda_order WHERE id = %s FOR UPDATE", order["id"])
    if not known:
        sale = None if order["status"] == "canceled" else make_sale(order)
        sql(
            "INSERT INTO comanda_order (id, number, day, status, total, sale) VALUES (%s, %s, %s, %s, %s, %s)",
            *(order["id"], order["number"], day_of(order), order["status"], order["total"], sale and sale.id),
        )
        return
    status, sale = known[0]
    if order["status"] == "canceled" and status != "canceled" and sale is not None:
        cancel_sale(Pool().get("sale.sale")(sale), order)
    sql("UPDATE comanda_order SET status = %s WHERE id = %s", order["status"], order["id"])


def day_of(order: Entry) -> datetime.date:
    """The day in the restaurant, whose offset the timestamps have."""
    return datetime.datetime.fromisoformat(order["created_at"]).date()


def make_sale(order: Entry) -> Any:
    """A sale with the total of the order, confirmed, with its shipment and its draft of an invoice."""
    Sale = Pool().get("sale.sale")
    sale = Sale(party=guest(), reference=f"Comanda {order['number']}", sale_date=day_of(order))
    sale.on_change_party()
    sale.description = order.get("identifier") or None
    sale.invoice_method = sale.shipment_method = "order"
    sale.comment = order.get("note")
    sale.lines = [sale_line(item) for item in order["items"]]
    sale.lines += tuple(adjustment_line(each, order["items"]) for each in order.get("adjustments", []))
    sale.save()
    level(sale, Decimal(order["total"]))
    Sale.quote([sale])
    Sale.confirm([sale])
    Sale.process([sale])
    return sale


def sale_line(item: Entry) -> Any:
    """A line, with the net price of which the tax makes its total. What was chosen is in its text and in its price."""
    Product = Pool().get("product.product")
    found = Product.search([("code", "=", item.get("external_id", ""))], limit=1)
    product = found[0] if found else None
    percent = None if item.get("tax_rate") is None else Decimal(str(item["tax_rate"])).normalize()
    taxes = taxes_of(percent, product)
    quantity = Decimal(item["quantity"])
    line = Pool().get("sale.line")(type="line", quantity=float(quantity), taxes=taxes)
    # An article that Tryton does not have is sold all the same: as a line without one.
    line.product, line.unit = product, product and product.sale_uom
    chosen = [f"{each['quantity']} × {each.get('name', each['item_id'])}" for each in item.get("subselections", [])]
    line.description = ": ".join(filter(None, [item["name"], ", ".join(chosen)]))
    line.note = item.get("comment")
    line.unit_price = unit_price(Decimal(item["total"]), rate_of(taxes), quantity)
    return line


def adjustment_line(adjustment: Entry, items: List[Entry]) -> Any:
    """A discount, charge, tip or fee: a line without an article. One of a line has the rate of that."""
    line = adjustment.get("line")
    of_line = next((item for item in items if item.get("line_id") == line), {})
    rate = adjustment.get("tax_rate", of_line.get("tax_rate"))
    taxes = taxes_of(None if rate is None else Decimal(str(rate)).normalize(), None)
    made = Pool().get("sale.line")(type="line", quantity=1, taxes=taxes, description=adjustment["name"])
    made.unit_price = unit_price(Decimal(adjustment["total"]), rate_of(taxes), Decimal(1))
    return made


def level(sale: Any, total: Decimal) -> None:
    """
    Makes the sale's total the order's. Tryton rounds net and tax of a line apart from each other (8.325 and 1.665 are 8.32 and
    1.66 of 9.99), so the sum may miss a cent a line. A line of its own, without tax, has what is missing.
    """
    missing = total - sale.total_amount
    if missing == 0:
        return
    # What the four decimals of a price leave open grows with the quantity. More is no rounding: there is something else in it.
    if abs(missing) > sum(CENT + CENT / 100 * Decimal(str(line.quantity)) for line in sale.lines):
        raise ValueError(f"Tryton makes {sale.total_amount} of it, and Comanda {total}")
    rounding = Pool().get("sale.line")(type="line", quantity=1, unit_price=missing, description="Rounding")
    sale.lines = [*sale.lines, rounding]
    sale.save()


def cancel_sale(sale: Any, order: Entry) -> None:
    """Cancels what Tryton would still ship and invoice. A shipment that is done stays: a person decides."""
    pool = Pool()
    if any(shipment.state == "done" for shipment in sale.shipments):
        notice(sale.reference, "was canceled in Comanda after Tryton had handed it over")
        return
    shipments = [shipment for shipment in sale.shipments if shipment.state != "cancelled"]
    invoices = [invoice for invoice in sale.invoices if invoice.state in ("draft", "validated")]
    pool.get("stock.shipment.out").cancel(shipments)
    pool.get("account.invoice").cancel(invoices)
    for line in sale.lines:
        pool.get("sale.line").write([line], {"moves_ignored": [("add", [move.id for move in line.moves])]})
    sale = pool.get("sale.sale")(sale.id)
    sale.invoices_ignored = sale.invoices
    sale.comment = f"Canceled: {order.get('cancel_reason', 'no reason given')}"
    sale.save()
    pool.get("sale.sale").process([sale])


def guest() -> Any:
    """The party of all orders. A Comanda knows no names."""
    Party = Pool().get("party.party")
    found = Party.search([("name", "=", "Guests of Comanda")], limit=1)
    return found[0] if found else Party.create([{"name": "Guests of Comanda", "addresses": [("create", [{}])]}])[0]
