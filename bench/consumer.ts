import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

// A webhook consumer that only counts: every POST is answered 200, except for those below /hang, which wait for a GET
// of /let-go. GET reports how many reached /hook and how long after the change each arrived, by the event's own
// created_at.

const latencies: number[] = [];
let received = 0;
const hanging = new Set<ServerResponse>();

const server = createServer((request, response) => {
  if (request.url === '/let-go') {
    for (const held of hanging) held.destroy();
    hanging.clear();
    response.end();
    return;
  }
  if (request.method === 'GET') {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ received, latencies: latencies.splice(0) }));
    return;
  }
  if (request.url?.startsWith('/hang')) {
    request.resume();
    hanging.add(response);
    response.on('close', () => hanging.delete(response));
    return;
  }
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    response.end('ok');
    if (request.url !== '/hook') return;
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
