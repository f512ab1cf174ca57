// The suite `soak` [--minutes 120]: the whole service under load with a kill a minute, held against a ledger.
import { bootstrap } from '../bootstrap.mjs';

/** Gives the exit code. @param {readonly string[]} words @param {AbortSignal} signal */
export async function run(words, signal) {
  await bootstrap({ log: console.error, signal, bundles: ['service', 'soak'] });
  const { main } = await import('../../dist/soak.js');
  const code = await main(words, signal);
  console.log(code === 0 ? '1 passed, 0 failed' : '0 passed, 1 failed');
  return code;
}
