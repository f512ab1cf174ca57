import express from 'express';
import { createFront } from './front.ts';
import { allowed } from './procedures.ts';

const { COMANDA_URL: url = '', COMANDA_KEY: key = '', PORT = '4000' } = process.env;
const front = createFront({ url, key, allowed, path: '/comanda' });

const app = express();
// Here stands what tells who is signed in: app.use('/comanda', requireSession);
app.use('/comanda', express.text({ type: 'application/json', limit: '1mb' }), async (request, response) => {
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const asked = new Request(`http://${request.host}${request.originalUrl}`, {
    method: request.method,
    headers: { 'content-type': request.get('content-type') ?? '' },
    body: request.method === 'POST' ? String(request.body ?? '') : null,
    signal: gone.signal,
  });
  const answer = await front(asked);
  response.status(answer.status);
  for (const [name, value] of answer.headers) response.setHeader(name, value);
  response.send(await answer.text());
});

const server = app.listen(Number(PORT), '127.0.0.1', () => {
  const address = server.address();
  console.log(`http://127.0.0.1:${typeof address === 'object' ? address?.port : PORT}`);
});
