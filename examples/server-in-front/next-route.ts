// app/comanda/[...path]/route.ts of a Next.js application, next to access.ts; it runs in Node and on the
// edge.
import { createFront } from '@comanda/client/front';
import { accessOf } from './access';

const front = createFront({
  url: () => process.env.COMANDA_URL,
  key: () => process.env.COMANDA_KEY,
  path: '/comanda',
  allow: ({ headers }) => accessOf(headers.get('cookie')),
});

export { front as GET, front as POST };
export const dynamic = 'force-dynamic';
