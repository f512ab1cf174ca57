import { readFileSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

// Sends one request over and over on LANES connections until SIGTERM, and then writes to REPORT how often each status was
// answered. A request that a limit refused is sent again a tenth of a second later.

const { TARGET = '', KEY = '', BODY = '', REPORT = '', LANES = '4' } = process.env;
const { url, method, path, headers } = JSON.parse(TARGET) as {
  url: string;
  method: string;
  path: string;
  headers: Record<string, string>;
};
const body = BODY === '' ? undefined : readFileSync(BODY);
const marks = placesOf(body);
const agent = new Agent({ keepAlive: true });
const answered: Record<string, number> = {};
let sent = 0;

for (let lane = 0; lane < Number(LANES); lane += 1) void attack();
process.send?.({ ready: true });
for (const signal of ['SIGTERM', 'disconnect'] as const)
  process.once(signal, () => {
    writeFileSync(REPORT, JSON.stringify(answered));
    process.exit(0);
  });

async function attack(): Promise<never> {
  const own = body && Buffer.from(body);
  for (;;) {
    sent += 1;
    for (const mark of marks) own?.write(String(sent % 10_000).padStart(4, '0'), mark);
    const status = await send(own).catch(() => 'broken');
    answered[status] = (answered[status] ?? 0) + 1;
    if (['429', '503', 'broken'].includes(status)) await sleep(100);
  }
}

function send(bytes: Buffer | undefined): Promise<string> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url + path,
      {
        agent,
        method,
        headers: {
          authorization: `Bearer ${KEY}`,
          ...headers,
          ...(bytes && { 'content-type': 'application/json', 'content-length': bytes.length }),
          'idempotency-key': `hostile-${process.pid}-${sent}`,
        },
      },
      (incoming) => {
        incoming.resume();
        incoming.on('error', reject);
        incoming.on('end', () => resolve(String(incoming.statusCode)));
      },
    );
    outgoing.on('error', reject);
    outgoing.end(bytes);
  });
}

function placesOf(bytes: Buffer | undefined): number[] {
  const found: number[] = [];
  for (let at = bytes?.indexOf('@@@@') ?? -1; at >= 0; at = bytes?.indexOf('@@@@', at + 4) ?? -1)
    found.push(at);
  return found;
}
