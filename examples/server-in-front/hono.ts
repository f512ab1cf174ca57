import { createFront } from '@comanda/client/front';
import { Hono } from 'hono';
import { accessOf } from './access.ts';

const front = createFront({
  url: () => process.env.COMANDA_URL,
  key: () => process.env.COMANDA_KEY,
  path: '/comanda',
  allow: ({ headers }) => accessOf(headers.get('cookie')),
});

export const app = new Hono().all('/comanda/*', ({ req }) => front(req.raw));
