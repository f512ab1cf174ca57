// npm run studio [-- --port N]: Prisma Studio on the running database, loopback only.
import { bootstrap, InterruptedError, runNode, runScript, withSignals } from './bootstrap.mjs';

await runScript(() => withSignals(studio));

async function studio(signal) {
  await bootstrap({ log: console.error, signal });
  const { findDatabase, freePort } = await import('../dist/start.js');
  const url = await findDatabase(process.env);
  if (url === null) throw new Error('no running database: run npm start first, or set DATABASE_URL');
  const wanted = readPort(process.argv.slice(2));
  const port = await freePort(wanted ?? 5555);
  if (wanted !== null && port !== wanted) throw new Error(`--port: ${wanted} is taken`);
  console.log(`Prisma Studio: http://127.0.0.1:${port}/#schema=public&table=orders (Ctrl-C ends it)`);
  const prisma = ['--import', './scripts/studio/preload.mjs', 'node_modules/prisma/build/index.js'];
  const args = [...prisma, 'studio', '--port', String(port), '--browser', 'none'];
  const env = {
    DATABASE_URL: namedForPeople(url),
    PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
    CHECKPOINT_DISABLE: '1',
  };
  try {
    return await runNode(args, { signal, env });
  } catch (error) {
    if (error instanceof InterruptedError) return 0;
    throw error;
  }
}

// Guards know the service by the name of its sessions; Studio is never taken for it.
function namedForPeople(url) {
  const named = new URL(url);
  const given = named.searchParams.get('application_name') ?? '';
  if (given === '' || given.startsWith('comanda')) named.searchParams.set('application_name', 'studio');
  return named.href;
}

function readPort(args) {
  const index = args.findIndex((argument) => argument === '--port' || argument.startsWith('--port='));
  if (index === -1) return null;
  const port = Number(args[index].split('=')[1] ?? args[index + 1]);
  if (!Number.isInteger(port) || port < 1 || port > 65535) throw new Error('--port: must be from 1 to 65535');
  return port;
}
