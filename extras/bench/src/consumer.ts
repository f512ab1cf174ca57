import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

// A webhook consumer that only counts: every POST is answered 200. GET reports how many arrived, and how long after the change each
// did since the last GET, by the event's own created_at.

let latencies: number[] = [];
let received = 0;

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ received, latencies }));
    latencies = [];
    return;
  }
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    response.end('ok');
    received += 1;
    const { created_at } = JSON.parse(Buffer.concat(chunks).toString()) as { created_at: string };
    latencies.push(Date.now() - Date.parse(created_at));
  });
});

server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.send?.({ ready: true, url: `http://127.0.0.1:${port}` });
});
for (const signal of ['SIGTERM', 'disconnect'] as const) process.once(signal, () => process.exit(0));
