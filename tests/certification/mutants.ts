import type { Program } from '../../extras/integrator/tests/certified.ts';
import type {
  CertificationStart,
  CheckName,
} from '../../packages/api/src/resources/certifications/schema.ts';

/** A change of a good program: of the program itself unless another file is named, and a second one of the same file. */
export type Change = readonly [
  from: string,
  to: string,
  more?: { file?: Program | 'comanda.py'; also?: { from: string; to: string } },
];

/** For each check its mutants: a defect, and the change after which that check alone must fail. */
type Mutants = Partial<Record<CheckName, Readonly<Record<string, Change>>>>;

/** The answer of the receiver, in both programs. */
const received = 'self.send_response(';

/** Mutants of what receives webhooks, in every role. `now` is the name of the object that receives. */
const deaf = (now: string) =>
  ({
    endpoint_reached: {
      'no program listens at its address': ['f"{outside}/hook")', '"http://127.0.0.1:9/hook")'],
      'it closes the connection without an answer': [
        `${received}${now}.receive(self.headers, body))`,
        'self.connection.close()\n            return',
      ],
      'it answers what is no HTTP': [
        `${received}${now}.receive(self.headers, body))`,
        'self.wfile.write(b"hello\\r\\n\\r\\n"); return',
      ],
      'it has no active endpoint': [
        '["secret"]\n        threading',
        '["secret"]\n        comanda.patch("/v2/webhook-endpoints/{id}", {"status": "disabled"}, id=comanda.get("/v2/webhook-endpoints")[0]["id"])\n        threading',
      ],
    },
    caught_up: {
      'it reads no feed': ['"catch_up": ', '"catch_up": print, "": '],
      'it reads one event from the beginning of the feed': [
        'reading = self.comanda.events(after=self.cursor)',
        'self.comanda.get("/v2/events", types="catalog.updated,order.created", limit=1); return',
      ],
      'it begins with the latest event': [
        'reading = self.comanda.events(after=self.cursor)',
        'reading = self.comanda.events(after="latest")',
      ],
      'it reads events of another type': [
        'reading = self.comanda.events(after=self.cursor)',
        'reading = self.comanda.events(after=self.cursor, types=["turn.open"])',
      ],
    },
    forged_refused: {
      'it takes any signature': [
        'verify_webhook(self.secret, headers, body)',
        '__import__("json").loads(body)',
      ],
      'it answers 400 to all': ['return 204', 'return 400'],
      'it accepts what is signed ten minutes ago': [
        'tolerance: float = 300',
        'tolerance: float = 1e9',
        { file: 'comanda.py' },
      ],
      'it answers 500 to a wrong signature': ['return 400', 'return 500'],
    },
  }) satisfies Mutants;

/** Mutants of integration.py in the role of a listener. */
const listenerMutants: Mutants = deaf('integration');

const caughtUp = '"catch_up": integration.catch_up';
const cursor = 'self.cursor = comanda.request(';

/** Other correct ways of integration.py as a listener. */
const otherWays: Readonly<Record<string, Change>> = {
  'polls its orders every two seconds': [
    cursor,
    `threading.Thread(target=lambda: [(time.sleep(2), comanda.get("/v2/orders", status="pending")) for _ in iter(int, 1)], daemon=True).start()\n        ${cursor}`,
  ],
  'follows the stream': [
    cursor,
    `threading.Thread(target=lambda: comanda._opener.open(__import__("urllib.request").request.Request(comanda.url + "/v2/events/stream", headers={"Authorization": "Bearer " + comanda._key})).read(), daemon=True).start()\n        ${cursor}`,
    { also: { from: caughtUp, to: '"catch_up": print' } },
  ],
  'asks for a replay': [
    caughtUp,
    '"catch_up": lambda: integration.comanda.post("/v2/webhook-endpoints/{id}/replay", {"since": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 3600))}, id=integration.comanda.get("/v2/webhook-endpoints")[0]["id"])',
  ],
};

const pulls = '            self.pull_catalog()\n            self.version';
const sent = '            time.sleep(wait)\n\n';
const each = 'self.comanda.each("/v2/products")';
const placed = 'left = self.comanda.get("/v2/products/{id}", id=product["id"])';

/** Mutants of integration.py in the role of a kiosk. */
const kioskMutants: Mutants = {
  catalog_pulled: {
    'it pulls nothing': [pulls, '            self.version'],
    'it reads another product': [
      pulls,
      '            self.comanda.get("/v2/products", sku="DR-02")\n            self.version',
    ],
    'it polls only': [
      pulls,
      `            self.__dict__.setdefault("poller", threading.Thread(target=self.poll, daemon=True)).is_alive() or self.poller.start()\n            self.version`,
      {
        also: {
          from: '    def pull_catalog(self) -> None:',
          to: '    def poll(self) -> None:\n        while True:\n            self.pull_catalog()\n            time.sleep(2)\n\n    def pull_catalog(self) -> None:',
        },
      },
    ],
  },
  order_repeated: {
    'it repeats under another key': [
      sent,
      `${sent.trimEnd()}\n            request.add_header("Idempotency-Key", str(uuid.uuid4()))\n\n`,
      { file: 'comanda.py' },
    ],
    'it does not repeat': [
      'if tried >= self._tries:\n                    raise NoAnswer',
      'if True:\n                    raise NoAnswer',
      { file: 'comanda.py' },
    ],
    'it repeats with another body': [
      'except (OSError, http.client.HTTPException) as fault:',
      'except (OSError, http.client.HTTPException) as fault:\n                request.data = request.data and request.data.replace(b"Table 4", b"Table 5")',
      { file: 'comanda.py' },
    ],
  },
  every_page: {
    'it reads the first page alone': [each, 'self.comanda.get("/v2/products", limit=200)'],
    'it reads pages that are empty': [
      each,
      '[p for n in (0, 200, 400) for p in self.comanda.get("/v2/products", sku="nothing", limit=200, offset=n)]',
    ],
    'it reads the same page again': [
      each,
      '[p for _ in range(3) for p in self.comanda.get("/v2/products", limit=200)]',
    ],
    'it leaves out a page': [
      each,
      '[p for n in (0, 400) for p in self.comanda.get("/v2/products", limit=200, offset=n)]',
    ],
  },
  waits_as_told: {
    'it asks again at once': [sent, '            time.sleep(0.1)\n\n', { file: 'comanda.py' }],
    'it waits a second': [sent, '            time.sleep(1)\n\n', { file: 'comanda.py' }],
    'it gives up at 503': [
      '(408, 429, 500, 502, 503, 504)',
      '(408, 429, 500, 502, 504)',
      { file: 'comanda.py' },
    ],
  },
  once_each: {
    'it knows nothing again': ['if not self.is_news(event):', 'if False:'],
    'it knows ids alone': ['event["data"]["version"] > self.version', 'True'],
    'it knows versions alone, of the last but one': [
      'if event["id"] in self.known:\n            return False\n        return event["type"] != "catalog.updated" or event["data"]["version"] > self.version',
      'return event["type"] != "catalog.updated" or event["data"]["version"] >= self.version',
    ],
    'it refuses what it knows': [
      'self.inbox.put(verify_webhook(self.secret, headers, body))',
      'event = verify_webhook(self.secret, headers, body)\n            if event["type"] == "catalog.updated" and event["data"]["version"] < self.version:\n                return 409\n            self.inbox.put(event)',
    ],
  },
  gone_and_cancelled: {
    'it does not read what was canceled': ['self.learn_of_cancelled(event["data"])', 'pass'],
    'it reads another order': [
      'self.comanda.get("/v2/orders/{id}", id=order["id"])',
      'self.comanda.get("/v2/orders", status="closed", limit=1)[0]',
    ],
    'it sends again what is gone': [placed, 'left = product; self.comanda.post("/v2/orders", order)'],
    'it does not look what is left': [placed, 'left = product'],
  },
};

const move = 'self.comanda.patch("/v2/orders/{id}/status", {"status": status}, id=order_id)';
const given = 'self.orders[order_id] = self.comanda.get("/v2/orders/{id}", id=order_id)["status"]';
const reads = 'job = self.comanda.get("/v2/sync/jobs/{id}", id=job_id)';
const news = 'event["id"] not in self.known';

/** Mutants of erp.py. */
const erpMutants: Mutants = {
  statuses_sent: {
    'it sends no status': [move, 'pass'],
    'it sends the first status alone': [move, `len(self.orders) > 1 or ${move}`],
    'it closes what is not ready': [
      'self.send_status(order["id"], "ready")',
      'self.send_status(order["id"], "closed")',
    ],
    'it sends the status of the first order': [
      move,
      move.replace('id=order_id', 'id=next(iter(self.orders))'),
    ],
  },
  refused_move_ends: {
    'it sends the move every second': [
      given,
      'threading.Timer(1, self.send_status, [order_id, status]).start()',
    ],
    'it tries every status': [
      given,
      'threading.Timer(1, self.send_status, [order_id, {"ready": "closed", "closed": "canceled", "canceled": "ready"}[status]]).start()',
    ],
    'it works the event off again': [
      given,
      'threading.Timer(2, lambda: (self.orders.pop(order_id, None), self.work({"type": "order.created", "data": {"id": order_id, "status": "pending"}}))).start()',
    ],
  },
  failed_items_read: {
    'it does not read the job': [
      'while job["status"] in ("queued", "processing"):',
      'job["errors"] = []\n        while False:',
    ],
    'it reads products in place of the job': [
      reads,
      'job = {"status": "completed", "errors": [], "read": self.comanda.get("/v2/products")}',
    ],
    'it brings nothing': ['"sync_items": erp.sync_items, ', ''],
    'it sends stock and ignores failed items': [
      'job = self.comanda.post("/v2/sync/products", {"mode": "update", "items": items})',
      'self.comanda.post("/v2/stock/sync", {"items": [{"external_id": "DR-02", "quantity": 100}]}); return',
    ],
  },
  waits_as_told: kioskMutants.waits_as_told ?? {},
  once_each: {
    'it knows nothing again': [`${news}:`, 'True:\n                    self.orders.clear()'],
    'it moves a known order on': [
      `${news}:`,
      'True:',
      {
        also: {
          from: 'elif event["type"] == "order.cancelled":',
          to: 'elif event["type"] == "order.created" and self.orders[order["id"]] == "ready":\n            self.send_status(order["id"], "closed")\n        elif event["type"] == "order.cancelled":',
        },
      },
    ],
    'it refuses what it knows': [
      'self.inbox.put(verify_webhook(self.secret, headers, body))',
      'event = verify_webhook(self.secret, headers, body)\n            if event["id"] in self.known:\n                return 409\n            self.inbox.put(event)',
    ],
  },
  caught_up: deaf('erp').caught_up,
  forged_refused: deaf('erp').forged_refused,
};

/** A program, and how it is certified. */
export interface Case {
  /** The name of its log: `kiosk/catalog_pulled-it-polls-only`. */
  name: string;
  program: Program;
  start: CertificationStart;
  change?: Change;
  /** The check that a mutant fails. */
  fails?: CheckName;
}

const nameOf = (role: string, what: string) => `${role}/${what.replace(/\W+/g, '-')}`;

function casesOf(role: string, of: Pick<Case, 'program' | 'start'>, mutants: Mutants): Case[] {
  const failing = (Object.entries(mutants) as [CheckName, Record<string, Change>][]).flatMap(
    ([fails, wrongs]) =>
      Object.entries(wrongs).map(([wrong, change]) => ({
        name: nameOf(role, `${fails}-${wrong}`),
        ...of,
        change,
        fails,
      })),
  );
  return [{ name: nameOf(role, 'good'), ...of }, ...failing];
}

const [kiosk, erp, listener] = [
  { program: 'integration.py', start: {} },
  { program: 'erp.py', start: { role: 'erp' } },
  { program: 'integration.py', start: { role: 'listener' } },
] as const;

/** Every program that is certified: the good ones, their mutants and other correct ways. */
export const cases: readonly Case[] = [
  ...casesOf('kiosk', kiosk, kioskMutants),
  { ...kiosk, name: nameOf('kiosk', 'no orders'), start: { role: 'kiosk', places_orders: false } },
  ...casesOf('erp', erp, erpMutants),
  ...casesOf('listener', listener, listenerMutants),
  ...Object.entries(otherWays).map(([way, change]) => ({
    ...listener,
    name: nameOf('listener', way),
    change,
  })),
];
