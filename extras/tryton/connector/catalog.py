# SPDX-License-Identifier: Apache-2.0
"""Articles of Tryton as products of Comanda: all of them at first, then what changed."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any, Dict, List, Tuple

from comanda import Comanda, ComandaError
from trytond.pool import Pool

from amounts import gross, rate_of
from erp import Erp, get_state, notice, set_state, sql

Entry = Dict[str, Any]
BATCH = 250


def articles() -> Dict[Tuple[str, str], Entry]:
    """What Comanda should have, by kind and external id. A category comes before its products."""
    wanted: Dict[Tuple[str, str], Entry] = {}
    sold = [("code", "not in", [None, ""]), ("salable", "=", True)]
    for product in Pool().get("product.product").search(sold, order=[("code", "ASC")]):
        category = product.categories[0] if product.categories else None
        place = f"tryton-{category.id}" if category else "tryton"
        wanted.setdefault(("category", place), {"external_id": place, "name": category.name if category else "Other"})
        percent = rate_of(product.customer_taxes_used)
        wanted["product", product.code] = {
            "external_id": product.code,
            "sku": product.code,
            "name": product.template.name,
            "description": product.description or "",
            "price": gross(product.list_price, percent),
            "tax_rate": percent,
            "visible": True,
            "category": place,
            "counted": product.type == "goods",
        }
    return wanted


def changes() -> List[Tuple[Tuple[str, str], Entry, bool]]:
    """What differs from what was sent last, and whether Comanda has it."""
    wanted = articles()
    sent = {(kind, name): json.loads(text) for kind, name, text in sql("SELECT kind, external_id, sent FROM comanda_sent")}
    for key, last in sent.items():
        # What is no longer sold is hidden. Deleted, orders under way would lose it, and its stock would begin anew.
        if key[0] == "product" and key not in wanted:
            wanted[key] = {**last, "visible": False}
    return [(key, entry, key in sent) for key, entry in wanted.items() if json.loads(plain(entry)) != sent.get(key)]


def plain(entry: Entry) -> str:
    return json.dumps(entry, default=str, sort_keys=True)


def bring(comanda: Comanda, erp: Erp) -> None:
    """Sends what changed. The same may be sent again after a kill: it changes nothing."""
    changed = erp.look(changes)
    for start in range(0, len(changed), BATCH):
        part = changed[start : start + BATCH]
        tree = as_tree(part, erp.look(articles))
        if erp.transact(get_state, "refused catalog") == plain({"tree": tree}):
            continue
        try:
            answer = comanda.post("/v2/catalog/sync", {"categories": tree, "include": ["ids"]})
        except ComandaError as error:
            if error.status not in (400, 409, 422):
                raise
            # It would be refused in the same way for ever: a person changes the article, and then it is another body.
            erp.transact(set_state, "refused catalog", plain({"tree": tree}))
            erp.transact(notice, "catalog", str(error))
            continue
        erp.transact(remember, part, {(each["type"], each["external_ids"][-1]): each["id"] for each in answer["ids"]})


def as_tree(part: List[Tuple[Tuple[str, str], Entry, bool]], wanted: Dict[Tuple[str, str], Entry]) -> List[Entry]:
    """Products stand below their category, which is named even where it did not change."""
    tree: Dict[str, Entry] = {}
    for (kind, _), entry, known in part:
        place = entry["external_id"] if kind == "category" else entry["category"]
        named = wanted.get(("category", place), {"external_id": place, "name": "Other"})
        below = tree.setdefault(place, {**named, "products": []})["products"]
        if kind == "product":
            sent = {name: value for name, value in entry.items() if name not in ("category", "counted")}
            if isinstance(sent["price"], str):
                sent.update(price=Decimal(sent["price"]), tax_rate=Decimal(sent["tax_rate"]))
            if entry["counted"] and not known:
                # Its stock comes as an adjustment, like every later one.
                sent["stock"] = {"enabled": True, "quantity": 0, "min_stock_alarm": 0}
            below.append(sent)
    return list(tree.values())


def remember(part: List[Tuple[Tuple[str, str], Entry, bool]], ids: Dict[Tuple[str, str], str]) -> None:
    for (kind, name), entry, _ in part:
        sql(
            """INSERT INTO comanda_sent (kind, external_id, id, sent) VALUES (%s, %s, %s, %s)
            ON CONFLICT (kind, external_id) DO UPDATE SET id = excluded.id, sent = excluded.sent""",
            *(kind, name, ids[kind, name], plain(entry)),
        )
