"""The people of a shop that works with Tryton: reads a JSON a line, does it in Tryton, and answers a JSON a line."""

import json
import os
import sys
import traceback
from decimal import Decimal

from proteus import Model, Wizard, config

DATABASE, CONFIG = sys.argv[1:3]
# The tools of Tryton's own scenarios, which make a company and its accounts, ask for it.
os.environ["DB_NAME"] = DATABASE.rsplit("/", 1)[-1]
config.set_trytond(DATABASE, config_file=CONFIG)


def set_up(products):
    from trytond.modules.account.tests.tools import create_chart, get_accounts
    from trytond.modules.company.tests.tools import create_company, get_company

    create_company()
    create_chart(get_company())
    accounts = get_accounts(get_company())
    settings = Model.get("account.configuration")(1)
    settings.tax_rounding = "line"
    settings.default_category_account_revenue = accounts["revenue"]
    settings.save()
    for product in products:
        add(**product)


def tax_of(percent):
    from trytond.modules.account.tests.tools import create_tax

    Tax = Model.get("account.tax")
    found = Tax.find([("rate", "=", Decimal(percent) / 100)])
    if found:
        return found[0]
    tax = create_tax(Decimal(percent) / 100)
    tax.save()
    return tax


def category_of(name, **accounting):
    Category = Model.get("product.category")
    found = Category.find([("name", "=", name)])
    if found:
        return found[0]
    category = Category(name=name)
    for field, value in accounting.items():
        setattr(category, field, value)
    category.save()
    return category


def add(code, name, price, tax=None, category=None, stock=None, kind="goods", unit="Unit"):
    from trytond.modules.account.tests.tools import get_accounts

    Template, Unit = Model.get("product.template"), Model.get("product.uom")
    template = Template(name=name, type=kind, salable=True, list_price=Decimal(price))
    template.default_uom = template.sale_uom = Unit.find([("name", "=", unit)])[0]
    accounting = category_of(f"Taxed {tax}", accounting=True)
    if not accounting.account_revenue:
        accounting.account_revenue = get_accounts()["revenue"]
        accounting.account_expense = get_accounts()["expense"]
        if tax is not None:
            accounting.customer_taxes.append(tax_of(tax))
        accounting.save()
    template.account_category = accounting
    if category:
        template.categories.append(category_of(category))
    template.code = code
    template.save()
    if stock:
        move(code, stock)


def product_of(code):
    Product = Model.get("product.product")
    return Product.find([("code", "=", code)])[0]


def price(code, price, name=None):
    template = product_of(code).template
    template.list_price = Decimal(price)
    if name:
        template.name = name
    template.save()


def stop_selling(code):
    template = product_of(code).template
    template.salable = False
    template.save()


def move(code, quantity):
    deliver([code], quantity)


def deliver(codes, quantity):
    """Comes in from a supplier, or is thrown away; all of it at once."""
    Location, Move = Model.get("stock.location"), Model.get("stock.move")
    shelf = Location.find([("type", "=", "storage"), ("code", "=", "STO")])[0]
    other = Location.find([("type", "=", "supplier" if quantity > 0 else "lost_found")])[0]
    records = []
    for code in codes:
        record = Move(product=product_of(code), quantity=abs(quantity))
        record.from_location, record.to_location = (other, shelf) if quantity > 0 else (shelf, other)
        record.unit_price = Decimal(1)
        record.currency = Model.get("company.company").find()[0].currency
        record.save()
        records.append(record)
    Move.click(records, "do")


def shipments_of(reference):
    Shipment = Model.get("stock.shipment.out")
    sales = Model.get("sale.sale").find([("reference", "=", reference)] if reference else [])
    return [Shipment(each.id) for sale in sales for each in sale.shipments]


def pack(reference=None):
    for shipment in shipments_of(reference):
        if shipment.state == "draft":
            shipment.click("wait")
        if shipment.state == "waiting":
            shipment.click("assign_force")
        if shipment.state == "assigned":
            shipment.click("pick")
        if shipment.state == "picked":
            shipment.click("pack")


def hand_over(reference=None):
    pack(reference)
    for shipment in shipments_of(reference):
        if shipment.state == "packed":
            shipment.click("done")


def give_up(reference):
    for shipment in shipments_of(reference):
        shipment.click("cancel")


def sales():
    return [
        {
            "reference": sale.reference,
            "state": sale.state,
            "total": str(sale.total_amount),
            "tax": str(sale.tax_amount),
            "lines": [[line.description, line.quantity, str(line.amount)] for line in sale.lines],
            "shipments": [each.state for each in sale.shipments],
            "invoices": [[each.state, str(each.total_amount)] for each in sale.invoices],
        }
        for sale in Model.get("sale.sale").find([], order=[("id", "ASC")])
    ]


print("ready", flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    try:
        answer = {"done": globals()[asked.pop("do")](**asked)}
    except Exception as fault:
        traceback.print_exc()
        answer = {"fault": f"{type(fault).__name__}: {fault}"}
    print(json.dumps(answer, default=str), flush=True)
