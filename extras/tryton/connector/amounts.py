# SPDX-License-Identifier: Apache-2.0
"""Prices of Comanda have their tax in them, those of Tryton have not. Both ways between the two, to the cent."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Iterable, Optional, Tuple

from trytond.modules.product import round_price
from trytond.pool import Pool

CENT = Decimal("0.01")


def cents(amount: Decimal) -> Decimal:
    """Rounded half away from zero, as Comanda rounds."""
    return amount.quantize(CENT, ROUND_HALF_UP)


def rate_of(taxes: Iterable[Any]) -> Decimal:
    """The percent that these taxes are together; all of them are of a price, none is an amount."""
    percent = Decimal(0)
    for tax in taxes:
        if tax.type != "percentage":
            raise ValueError(f"{tax.rec_name} is no percentage of the price")
        percent += tax.rate * 100
    return Decimal(f"{percent.normalize():f}")


def gross(net: Decimal, percent: Decimal) -> Decimal:
    """A price with its tax."""
    return cents(net * (1 + percent / 100))


def unit_price(total: Decimal, percent: Decimal, quantity: Decimal) -> Decimal:
    """The net price of one, as exactly as Tryton keeps prices."""
    return round_price(total / (1 + percent / 100) / quantity)


def taxes_of(percent: Optional[Decimal], product: Any) -> Tuple[Any, ...]:
    """The taxes of a line: the product's, unless the line was sold at another rate."""
    own = tuple(product.customer_taxes_used) if product else ()
    if percent is None or (product and rate_of(own) == percent):
        return own
    if percent == 0:
        return ()
    rate = [("type", "=", "percentage"), ("rate", "=", percent / 100), ("parent", "=", None)]
    found = Pool().get("account.tax").search(rate, limit=1)
    if not found:
        raise ValueError(f"Tryton has no tax of {percent} %")
    return tuple(found)
