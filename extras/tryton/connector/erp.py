# SPDX-License-Identifier: Apache-2.0
"""Tryton in this process, and the connector's own tables beside Tryton's, in one database and so in one transaction."""

from __future__ import annotations

import os
import time
from typing import Any, Callable, List, Tuple

from trytond import backend
from trytond.config import config

config.update_etc(os.environ.get("TRYTOND_CONFIG"))

from trytond.cache import Cache  # noqa: E402  (they read the configuration when they are imported)
from trytond.pool import Pool  # noqa: E402
from trytond.transaction import Transaction  # noqa: E402
from trytond.worker import run_task  # noqa: E402

#: Its name on the server that Tryton's configuration names.
DATABASE = os.environ["TRYTON_DATABASE"]

TABLES = """
-- Where the feed is read on, the webhook's secret.
CREATE TABLE IF NOT EXISTS comanda_state (name TEXT PRIMARY KEY, value TEXT NOT NULL);
-- Events that came by webhook or by feed. An event has one id, so it is here once.
CREATE TABLE IF NOT EXISTS comanda_inbox (
    event TEXT PRIMARY KEY, type TEXT NOT NULL, subject TEXT NOT NULL, received TIMESTAMPTZ NOT NULL DEFAULT now(),
    done BOOLEAN NOT NULL DEFAULT false, try_after TIMESTAMPTZ NOT NULL DEFAULT now());
-- Each order of Comanda, and its sale; none when it was canceled before it was here.
CREATE TABLE IF NOT EXISTS comanda_order (
    id TEXT PRIMARY KEY, number INTEGER NOT NULL UNIQUE, day DATE NOT NULL, status TEXT NOT NULL,
    total NUMERIC NOT NULL, sale INTEGER UNIQUE REFERENCES sale_sale);
-- What Comanda has of an article or category, as it was sent last.
CREATE TABLE IF NOT EXISTS comanda_sent (
    kind TEXT, external_id TEXT, id TEXT NOT NULL, sent TEXT NOT NULL, PRIMARY KEY (kind, external_id));
-- Stock moves that were taken into account, and what is still to be sent of them: `call` is its idempotency key.
CREATE TABLE IF NOT EXISTS comanda_move (move INTEGER PRIMARY KEY);
CREATE TABLE IF NOT EXISTS comanda_adjustment (call TEXT, external_id TEXT NOT NULL, quantity NUMERIC NOT NULL);
-- Entries of settlements. Each is booked once.
CREATE TABLE IF NOT EXISTS comanda_entry (
    id TEXT PRIMARY KEY, settlement TEXT NOT NULL, "order" TEXT NOT NULL, kind TEXT NOT NULL, amount NUMERIC NOT NULL);
-- What a person has to look at.
CREATE TABLE IF NOT EXISTS comanda_notice (
    about TEXT, text TEXT, at TIMESTAMPTZ NOT NULL DEFAULT now(), PRIMARY KEY (about, text));
"""


class Erp:
    """The database of Tryton, as a user of it."""

    def __init__(self, login: str = "admin") -> None:
        Pool.start()
        self.pool = Pool(DATABASE)
        with Transaction().start(DATABASE, 0):
            self.pool.init()
            sql(TABLES)
            user = self.pool.get("res.user").search([("login", "=", login)])[0]
            self.user = user.id
        with Transaction().start(DATABASE, self.user, readonly=True):
            self.context = self.pool.get("res.user").get_preferences(context_only=True)

    def transact(self, work: Callable[..., Any], *given: Any) -> Any:
        """Does `work` whole or not at all, and again when another user of Tryton was in its way."""
        for left in range(9, -1, -1):
            with Transaction().start(DATABASE, self.user, context=self.context) as transaction:
                try:
                    answer = work(*given)
                    transaction.commit()
                except backend.DatabaseOperationalError:
                    transaction.rollback()
                    transaction.tasks.clear()
                    if left == 0:
                        raise
                    time.sleep(0.1 * (10 - left))
                    continue
            # What Tryton would give to its queue. A kill before it loses nothing: `orders` has processed the sale itself.
            while transaction.tasks:
                run_task(self.pool, transaction.tasks.pop())
            return answer
        raise AssertionError

    def look(self, work: Callable[..., Any], *given: Any) -> Any:
        """Reads what is committed now. The caches of this process would have texts as they were up to five minutes ago."""
        with Transaction().start(DATABASE, self.user, readonly=True, context=self.context) as transaction:
            Cache.clear_all()
            try:
                return work(*given)
            finally:
                # Not a commit: it would clear the caches of all of Tryton.
                transaction.rollback()


def sql(query: str, *values: Any) -> List[Tuple[Any, ...]]:
    """Runs a statement in the transaction that is open, and gives its rows."""
    cursor = Transaction().connection.cursor()
    cursor.execute(query, values or None)
    return cursor.fetchall() if cursor.description else []


def get_state(name: str) -> Any:
    """A value that was kept, or None."""
    found = sql("SELECT value FROM comanda_state WHERE name = %s", name)
    return found[0][0] if found else None


def set_state(name: str, value: str) -> None:
    """Keeps a value."""
    sql(
        "INSERT INTO comanda_state (name, value) VALUES (%s, %s) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        name,
        value,
    )


def notice(about: str, text: str) -> None:
    """Leaves a note for a person, once."""
    if sql("INSERT INTO comanda_notice (about, text) VALUES (%s, %s) ON CONFLICT DO NOTHING RETURNING 1", about, text):
        print(f"{about}: {text}", flush=True)
