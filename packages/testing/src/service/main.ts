import { onReaderGone } from '@comanda/db/terminal';
import type { Reply, ServiceOptions } from '../messages.ts';
import { startPrepared } from './prepared.ts';
import { sentence } from './sentence.ts';

/** The parts to end, in the order in which they were started. */
const endings: (() => Promise<unknown>)[] = [];
const send = (reply: Reply) => process.send?.(reply);

// Its reader may be gone.
onReaderGone();

// The process that started us has stopped us, or is gone: no other process would.
process.once('disconnect', () => {
  ready.catch(() => {}).then(end);
});

const ready = start(JSON.parse(process.argv[2] ?? '{}') as ServiceOptions);
ready.catch((error: unknown) => send({ failed: sentence(error) }));

async function start({ cacheDir }: ServiceOptions): Promise<void> {
  const preparing = startPrepared(cacheDir).then((prepared) => {
    endings.push(prepared.remove);
    return prepared;
  });
  // Read while PostgreSQL starts: it takes about as long.
  const [prepared, { serve }] = await Promise.all([preparing, import('./serve.ts')]);
  const serving = await serve(prepared, send);
  endings.push(...serving.endings);
  send({ ready: { url: serving.url } });
}

async function end(): Promise<void> {
  for (const ending of endings.reverse()) await ending().catch(() => {});
  process.exit();
}
