import { createNodeFront } from '@comanda/client/front/node';
import express from 'express';
import { accessOf } from './access.ts';

const front = createNodeFront({
  url: () => process.env.COMANDA_URL,
  key: () => process.env.COMANDA_KEY,
  path: '/comanda',
  allow: ({ headers }) => accessOf(headers.cookie),
});

const app = express().use(front);
const server = app.listen(Number(process.env.PORT ?? 4000), () => console.log(server.address()));
