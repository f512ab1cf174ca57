import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openHand } from '../support/by-hand.ts';
import { createChance } from '../support/chance.ts';
import { seedOf, trials } from '../support/trials.ts';
import { agreement, faultsLogged } from './hand-edits/agreement.ts';
import { beforeEdit } from './hand-edits/audit-differences.ts';
import { calls } from './hand-edits/calls.ts';
import { randomEdit, run } from './hand-edits/edits.ts';
import { openEditedGround } from './hand-edits/ground.ts';
import { readTables } from './hand-edits/reads.ts';
import { sessionKinds } from './hand-edits/sessions.ts';
import { readTables as readCatalog } from './hand-edits/tables.ts';

const wanted = trials(300, 5_000);
/** COMANDA_SEED edits the same again. */
// The short form walks one way, the long one another each time.
const seed = seedOf(3);
/** Of a hundred edits so many are held against what the audit has of them: each reads every audited table twice. */
const watchedOf100 = 10;
const longest = trials(900_000, 5_400_000);

// Any value that a person writes into any column is refused, or the promises of the API still hold.
test(`after random edits by hand everything answers as documented (COMANDA_SEED=${seed})`, {
  timeout: longest,
}, async () => {
  const chance = createChance(seed);
  const ground = await openEditedGround(chance);
  const agrees = agreement();
  const url = ground.restaurant.environment.DATABASE_URL;
  const clients = await Promise.all(
    sessionKinds.map(async (kind) => ({ kind, client: await kind.open(url) })),
  );
  const lines: string[] = [];
  const done = { accepted: 0, copies: 0, inside: 0, audited: 0, refused: 0, calls: 0, agreements: 0 };
  const hand = await openHand(url);
  const tables = await readCatalog(hand);
  const location = `'${ground.locationId}'`;
  try {
    while (done.accepted < wanted) {
      // Each its own: how much chance a step takes may depend on ids, which differ from run to run.
      const own = createChance(chance.between(0, 1e9));
      if (own.percent(15)) {
        done.calls += 1;
        const call = own.pick(calls);
        lines.push(`-- a call: ${call.name}`);
        await call({ ...ground, chance: own });
        continue;
      }
      const { kind, client } = own.pick(clients);
      const edit = randomEdit({ chance: own, tables, location, next: ground.next }, kind, client);
      const expectAudited = own.percent(watchedOf100) ? await beforeEdit(hand) : undefined;
      // Entries are found by the moment of their transaction, in milliseconds.
      if (expectAudited !== undefined) await sleep(2);
      const { changed, moment } = await run(edit, location, (line) => lines.push(line));
      if (expectAudited !== undefined && moment !== undefined) {
        await expectAudited(moment);
        done.audited += 1;
      }
      if (changed.size === 0) {
        done.refused += 1;
        continue;
      }
      done.accepted += 1;
      if (edit.statements.some(({ lines }) => lines !== undefined)) done.copies += 1;
      if (edit.statements.some(({ counted }) => counted !== undefined)) done.inside += 1;
      await readTables(ground, changed);
      if (done.accepted % 100 > 0 && done.accepted < wanted) continue;
      await agrees(ground);
      done.agreements += 1;
      lines.length = 0;
      await ground.secondLocation();
    }
    process.stdout.write(`fuzz: edits by hand: seed ${seed}, ${JSON.stringify(done)}\n`);
    expect(done.agreements).toBeGreaterThanOrEqual(wanted / 100);
    for (const form of ['copies', 'inside', 'audited'] as const) expect(done[form], form).toBeGreaterThan(0);
  } catch (error) {
    throw new Error(
      [
        (error as Error).message,
        ...faultsLogged(ground).slice(-2),
        `after ${done.accepted} edits; again: COMANDA_SEED=${seed}; the statements before, since all agreed:`,
        ...lines.map((line) => line.slice(0, 1_500)),
      ].join('\n'),
      { cause: error },
    );
  } finally {
    for (const { client } of clients) await client.end();
    await hand.close();
    await ground.close();
  }
});
