import type { CheckName } from '../../packages/api/src/resources/certifications/schema.ts';
import type { Program } from './certified.ts';

/** A change of a good program, after which one check alone must fail. */
export interface Sabotage {
  /** Its defect. */
  wrong: string;
  /** The program itself unless said. */
  file?: Program | 'comanda.py';
  from: string;
  to: string;
  /** A second change, of the same file. */
  also?: { from: string; to: string };
}

/** The answer of the receiver, in both programs. */
const received = 'self.send_response(';

/** Mutants of what receives webhooks, in every role. `now` is the name of the object that receives. */
const deaf = (now: string) =>
  ({
    endpoint_reached: [
      {
        wrong: 'no program listens at its address',
        from: 'f"{outside}/hook")',
        to: '"http://127.0.0.1:9/hook")',
      },
      {
        wrong: 'it closes the connection without an answer',
        from: `${received}${now}.receive(self.headers, body))`,
        to: 'self.connection.close()\n            return',
      },
      {
        wrong: 'it answers what is no HTTP',
        from: `${received}${now}.receive(self.headers, body))`,
        to: 'self.wfile.write(b"hello\\r\\n\\r\\n"); return',
      },
      {
        wrong: 'it has no active endpoint',
        from: '["secret"]\n        threading',
        to: '["secret"]\n        comanda.patch("/v2/webhook-endpoints/{id}", {"status": "disabled"}, id=comanda.get("/v2/webhook-endpoints")[0]["id"])\n        threading',
      },
    ],
    caught_up: [
      { wrong: 'it reads no feed', from: '"catch_up": ', to: '"catch_up": print, "": ' },
      {
        wrong: 'it reads one event from the beginning of the feed',
        from: 'reading = self.comanda.events(after=self.cursor)',
        to: 'self.comanda.get("/v2/events", types="catalog.updated,order.created", limit=1); return',
      },
      {
        wrong: 'it begins with the latest event',
        from: 'reading = self.comanda.events(after=self.cursor)',
        to: 'reading = self.comanda.events(after="latest")',
      },
      {
        wrong: 'it reads events of another type',
        from: 'reading = self.comanda.events(after=self.cursor)',
        to: 'reading = self.comanda.events(after=self.cursor, types=["turn.open"])',
      },
    ],
    forged_refused: [
      {
        wrong: 'it takes any signature',
        from: 'verify_webhook(self.secret, headers, body)',
        to: '__import__("json").loads(body)',
      },
      { wrong: 'it answers 400 to all', from: 'return 204', to: 'return 400' },
      {
        wrong: 'it accepts what is signed ten minutes ago',
        file: 'comanda.py',
        from: 'tolerance: float = 300',
        to: 'tolerance: float = 1e9',
      },
      { wrong: 'it answers 500 to a wrong signature', from: 'return 400', to: 'return 500' },
    ],
  }) satisfies Partial<Record<CheckName, readonly Sabotage[]>>;

/** Mutants of integration.py in the role of a listener. */
export const listenerMutants: Partial<Record<CheckName, readonly Sabotage[]>> = deaf('integration');

const caughtUp = '"catch_up": integration.catch_up';
const cursor = 'self.cursor = comanda.request(';

/** Other correct ways of integration.py as a listener. */
export const otherWays: readonly Sabotage[] = [
  {
    wrong: 'polls its orders every two seconds',
    from: cursor,
    to: `threading.Thread(target=lambda: [(time.sleep(2), comanda.get("/v2/orders", status="pending")) for _ in iter(int, 1)], daemon=True).start()\n        ${cursor}`,
  },
  {
    wrong: 'follows the stream',
    from: cursor,
    to: `threading.Thread(target=lambda: comanda._opener.open(__import__("urllib.request").request.Request(comanda.url + "/v2/events/stream", headers={"Authorization": "Bearer " + comanda._key})).read(), daemon=True).start()\n        ${cursor}`,
    also: { from: caughtUp, to: '"catch_up": print' },
  },
  {
    wrong: 'asks for a replay',
    from: caughtUp,
    to: '"catch_up": lambda: integration.comanda.post("/v2/webhook-endpoints/{id}/replay", {"since": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 3600))}, id=integration.comanda.get("/v2/webhook-endpoints")[0]["id"])',
  },
];

const pulls = '            self.pull_catalog()\n            self.version';
const sent = '            time.sleep(wait)\n\n';
const each = 'self.comanda.each("/v2/products")';
const placed = 'left = self.comanda.get("/v2/products/{id}", id=product["id"])';

/** Mutants of integration.py in the role of a kiosk. */
export const kioskMutants: Partial<Record<CheckName, readonly Sabotage[]>> = {
  catalog_pulled: [
    { wrong: 'it pulls nothing', from: pulls, to: '            self.version' },
    {
      wrong: 'it reads another product',
      from: pulls,
      to: '            self.comanda.get("/v2/products", sku="DR-02")\n            self.version',
    },
    {
      wrong: 'it polls only',
      from: pulls,
      to: `            self.__dict__.setdefault("poller", threading.Thread(target=self.poll, daemon=True)).is_alive() or self.poller.start()\n            self.version`,
      also: {
        from: '    def pull_catalog(self) -> None:',
        to: '    def poll(self) -> None:\n        while True:\n            self.pull_catalog()\n            time.sleep(2)\n\n    def pull_catalog(self) -> None:',
      },
    },
  ],
  order_repeated: [
    {
      wrong: 'it repeats under another key',
      file: 'comanda.py',
      from: sent,
      to: `${sent.trimEnd()}\n            request.add_header("Idempotency-Key", str(uuid.uuid4()))\n\n`,
    },
    {
      wrong: 'it does not repeat',
      file: 'comanda.py',
      from: 'if tried >= self._tries:\n                    raise NoAnswer',
      to: 'if True:\n                    raise NoAnswer',
    },
    {
      wrong: 'it repeats with another body',
      file: 'comanda.py',
      from: 'except (OSError, http.client.HTTPException) as fault:',
      to: 'except (OSError, http.client.HTTPException) as fault:\n                request.data = request.data and request.data.replace(b"Table 4", b"Table 5")',
    },
  ],
  every_page: [
    { wrong: 'it reads the first page alone', from: each, to: 'self.comanda.get("/v2/products", limit=200)' },
    {
      wrong: 'it reads pages that are empty',
      from: each,
      to: '[p for n in (0, 200, 400) for p in self.comanda.get("/v2/products", sku="nothing", limit=200, offset=n)]',
    },
    {
      wrong: 'it reads the same page again',
      from: each,
      to: '[p for _ in range(3) for p in self.comanda.get("/v2/products", limit=200)]',
    },
    {
      wrong: 'it leaves out a page',
      from: each,
      to: '[p for n in (0, 400) for p in self.comanda.get("/v2/products", limit=200, offset=n)]',
    },
  ],
  waits_as_told: [
    { wrong: 'it asks again at once', file: 'comanda.py', from: sent, to: '            time.sleep(0.1)\n\n' },
    { wrong: 'it waits a second', file: 'comanda.py', from: sent, to: '            time.sleep(1)\n\n' },
    {
      wrong: 'it gives up at 503',
      file: 'comanda.py',
      from: '(408, 429, 500, 502, 503, 504)',
      to: '(408, 429, 500, 502, 504)',
    },
  ],
  once_each: [
    { wrong: 'it knows nothing again', from: 'if not self.is_news(event):', to: 'if False:' },
    { wrong: 'it knows ids alone', from: 'event["data"]["version"] > self.version', to: 'True' },
    {
      wrong: 'it knows versions alone, of the last but one',
      from: 'if event["id"] in self.known:\n            return False\n        return event["type"] != "catalog.updated" or event["data"]["version"] > self.version',
      to: 'return event["type"] != "catalog.updated" or event["data"]["version"] >= self.version',
    },
    {
      wrong: 'it refuses what it knows',
      from: 'self.inbox.put(verify_webhook(self.secret, headers, body))',
      to: 'event = verify_webhook(self.secret, headers, body)\n            if event["type"] == "catalog.updated" and event["data"]["version"] < self.version:\n                return 409\n            self.inbox.put(event)',
    },
  ],
  gone_and_cancelled: [
    {
      wrong: 'it does not read what was canceled',
      from: 'self.learn_of_cancelled(event["data"])',
      to: 'pass',
    },
    {
      wrong: 'it reads another order',
      from: 'self.comanda.get("/v2/orders/{id}", id=order["id"])',
      to: 'self.comanda.get("/v2/orders", status="closed", limit=1)[0]',
    },
    {
      wrong: 'it sends again what is gone',
      from: placed,
      to: 'left = product; self.comanda.post("/v2/orders", order)',
    },
    { wrong: 'it does not look what is left', from: placed, to: 'left = product' },
  ],
};

const move = 'self.comanda.patch("/v2/orders/{id}/status", {"status": status}, id=order_id)';
const given = 'self.orders[order_id] = self.comanda.get("/v2/orders/{id}", id=order_id)["status"]';
const reads = 'job = self.comanda.get("/v2/sync/jobs/{id}", id=job_id)';
const news = 'event["id"] not in self.known';

/** Mutants of erp.py. */
export const erpMutants: Partial<Record<CheckName, readonly Sabotage[]>> = {
  statuses_sent: [
    { wrong: 'it sends no status', from: move, to: 'pass' },
    { wrong: 'it sends the first status alone', from: move, to: `len(self.orders) > 1 or ${move}` },
    {
      wrong: 'it closes what is not ready',
      from: 'self.send_status(order["id"], "ready")',
      to: 'self.send_status(order["id"], "closed")',
    },
    {
      wrong: 'it sends the status of the first order',
      from: move,
      to: move.replace('id=order_id', 'id=next(iter(self.orders))'),
    },
  ],
  refused_move_ends: [
    {
      wrong: 'it sends the move every second',
      from: given,
      to: 'threading.Timer(1, self.send_status, [order_id, status]).start()',
    },
    {
      wrong: 'it tries every status',
      from: given,
      to: 'threading.Timer(1, self.send_status, [order_id, {"ready": "closed", "closed": "canceled", "canceled": "ready"}[status]]).start()',
    },
    {
      wrong: 'it works the event off again',
      from: given,
      to: 'threading.Timer(2, lambda: (self.orders.pop(order_id, None), self.work({"type": "order.created", "data": {"id": order_id, "status": "pending"}}))).start()',
    },
  ],
  failed_items_read: [
    {
      wrong: 'it does not read the job',
      from: 'while job["status"] in ("queued", "processing"):',
      to: 'job["errors"] = []\n        while False:',
    },
    {
      wrong: 'it reads products in place of the job',
      from: reads,
      to: 'job = {"status": "completed", "errors": [], "read": self.comanda.get("/v2/products")}',
    },
    { wrong: 'it brings nothing', from: '"sync_items": erp.sync_items, ', to: '' },
    {
      wrong: 'it sends stock and ignores failed items',
      from: 'job = self.comanda.post("/v2/sync/products", {"mode": "update", "items": items})',
      to: 'self.comanda.post("/v2/stock/sync", {"items": [{"external_id": "DR-02", "quantity": 100}]}); return',
    },
  ],
  waits_as_told: kioskMutants.waits_as_told ?? [],
  once_each: [
    {
      wrong: 'it knows nothing again',
      from: `${news}:`,
      to: 'True:\n                    self.orders.clear()',
    },
    {
      wrong: 'it moves a known order on',
      from: `${news}:`,
      to: 'True:',
      also: {
        from: 'elif event["type"] == "order.cancelled":',
        to: 'elif event["type"] == "order.created" and self.orders[order["id"]] == "ready":\n            self.send_status(order["id"], "closed")\n        elif event["type"] == "order.cancelled":',
      },
    },
    {
      wrong: 'it refuses what it knows',
      from: 'self.inbox.put(verify_webhook(self.secret, headers, body))',
      to: 'event = verify_webhook(self.secret, headers, body)\n            if event["id"] in self.known:\n                return 409\n            self.inbox.put(event)',
    },
  ],
  caught_up: deaf('erp').caught_up,
  forged_refused: deaf('erp').forged_refused,
};
