import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

// A webhook consumer that only counts: every POST is answered 200; GET tells how many came and how long after the
// change each arrived, by the event's own created_at.

const latencies: number[] = [];
let received = 0;

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ received, latencies: latencies.splice(0) }));
    return;
  }
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    received += 1;
    const { created_at } = JSON.parse(Buffer.concat(chunks).toString()) as { created_at: string };
    latencies.push(Date.now() - Date.parse(created_at));
    response.end('ok');
  });
});

server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.send?.({ ready: true, url: `http://127.0.0.1:${port}` });
});
for (const signal of ['SIGTERM', 'disconnect'] as const) process.once(signal, () => process.exit(0));
