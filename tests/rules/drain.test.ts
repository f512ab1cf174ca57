import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, test } from 'vitest';
import { createDrain } from '../../packages/api/src/http/drain.ts';
import { stall } from '../support/wait.ts';

const request = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

test('a busy process that stops answers what had arrived on a resting connection, before it closes that', async () => {
  const server = createServer((_, response) => {
    drain.track(response);
    response.end('here');
  });
  const drain = createDrain(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const heard: string[] = [];
  socket.setEncoding('utf8').on('data', (text: string) => heard.push(text));
  socket.write(request);
  await once(socket, 'data');

  const over = drain.run(10_000, 20);
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  expect(drain.begun()).toBe(true);
  heard.length = 0;
  socket.write(request);
  // The time for resting connections passes while the process can do nothing.
  stall(200);
  await over;
  if (!socket.closed) await once(socket, 'close');
  expect(heard.join('')).toMatch(/^HTTP\/1.1 200 OK\r\n.*Connection: close\r\n.*here/s);
});
