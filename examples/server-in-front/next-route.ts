// app/comanda/trpc/[procedures]/route.ts of a Next.js application; it runs in Node and on the edge.
import { createFront } from './front.ts';
import { allowed } from './procedures.ts';

const { COMANDA_URL: url = '', COMANDA_KEY: key = '' } = process.env;
const front = createFront({ url, key, allowed, path: '/comanda' });

async function handle(request: Request): Promise<Response> {
  // Here stands what tells who is signed in: if (!(await session())) return new Response(null, { status: 401 });
  return front(request);
}

export { handle as GET, handle as POST };
export const dynamic = 'force-dynamic';
