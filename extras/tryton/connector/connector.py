# SPDX-License-Identifier: Apache-2.0
"""Comanda and Tryton 6.0, connected. Python 3.9, Tryton on PostgreSQL, and comanda.py beside this file.

    export COMANDA_URL=… COMANDA_KEY=… TRYTOND_CONFIG=/etc/tryton/trytond.conf TRYTON_DATABASE=shop
    python3 connector.py run 4000 https://erp.example.com/comanda     # webhooks arrive at port 4000 of this machine
    python3 connector.py day 2026-01-31

It may be killed at any moment and started again: nothing is lost, and nothing is done twice.
"""

from __future__ import annotations

import datetime
import json
import os
import signal
import sys
import threading

from comanda import Comanda, ComandaError, NoAnswer

import catalog
import inbox
import reconcile
import statuses
import stock
from erp import Erp

#: Seconds between two rounds. A webhook begins one at once.
EVERY = float(os.environ.get("COMANDA_EVERY", "5"))


def run(comanda: Comanda, erp: Erp, port: int, hook: str) -> None:
    wake, stopping = threading.Event(), threading.Event()

    def stop(*_: object) -> None:
        stopping.set()
        wake.set()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    inbox.serve(erp, port, hook, wake)
    inbox.register(comanda, erp, hook)
    print("ready", flush=True)
    while not stopping.is_set():
        wake.clear()
        for step in (inbox.read_feed, inbox.work_off, statuses.send, catalog.bring, stock.bring):
            if stopping.is_set():
                break
            try:
                step(comanda, erp)
            except (ComandaError, NoAnswer) as fault:
                # The client has tried five times. The other steps go on, and this one is asked again in the next round.
                print(f"{step.__module__}: {fault}", flush=True)
        wake.wait(EVERY)


def main() -> None:
    comanda = Comanda(os.environ["COMANDA_URL"], os.environ["COMANDA_KEY"])
    erp = Erp(os.environ.get("TRYTON_LOGIN", "admin"))
    if sys.argv[1] == "day":
        figures = reconcile.day(comanda, erp, datetime.date.fromisoformat(sys.argv[2]))
        print(json.dumps(figures, default=str, indent=1))
        sys.exit(1 if figures["differences"] or figures["report"] != figures["sales"] else 0)
    run(comanda, erp, int(sys.argv[2]), sys.argv[3])


if __name__ == "__main__":
    main()
