import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Operation } from '../../packages/api/src/call/operations.ts';
import { operations } from '../support/documented.ts';
import { seedOf, trials } from '../support/trials.ts';
import { type Campaign, openCampaign } from './large/campaign.ts';
import { smallOnes } from './large/crowd.ts';
import { bounds } from './large/judge.ts';
import { known } from './large/known.ts';
import { allTrials, nameOf, type Trial, trialsOf } from './large/trials.ts';

/** COMANDA_SEED sends the same again. */
const seed = seedOf(3);
const each = Math.ceil(trials(780, 20_000) / operations.length);

let campaign: Campaign;
beforeAll(async () => {
  campaign = await openCampaign();
}, 120_000);
afterAll(async () => {
  process.stdout.write(`large bodies: seed ${seed}, ${campaign.report()}\n`);
  await campaign.close();
}, 60_000);

test.each(known)(
  'what once stopped the service does not: %s: %s',
  async (operationName, name) => {
    await campaign.revive();
    const { operation, trial } = trialNamed(operationName, name);
    expect(await campaign.faultsOf(operation, [trial])).toEqual([]);
  },
  300_000,
);

test('small requests during such bodies are served, and none is refused as late', async () => {
  await campaign.revive();
  const crowd = await campaign.sendCrowd(
    known.map(([operationName, name]) => trialNamed(operationName, name).trial),
  );
  expect(crowd).toEqual({ served: smallOnes, late: 0, faults: 0 });
}, 300_000);

// The last test judges the sum of the others.
describe(`no body stops the service, with any content (COMANDA_SEED=${seed})`, { shuffle: false }, () => {
  test.each(operations.map((operation) => [operation.name, operation] as const))(
    '%s',
    async (_name, operation) => {
      await campaign.revive();
      expect(await campaign.faultsOf(operation, trialsOf(operation, each, seed))).toEqual([]);
    },
    1_200_000,
  );

  test('and the process gives most of the memory back', () => {
    expect(campaign.keptMiB()).toBeLessThan(bounds.keptMiB);
  });
});

function trialNamed(operationName: string, name: string): { operation: Operation; trial: Trial } {
  const operation = operations.find((one) => one.name === operationName);
  const trial = operation && allTrials(operation).find((one) => nameOf(one) === name);
  if (trial === undefined) throw new Error(`no trial is named ${name}`);
  return { operation: trial.target.operation, trial };
}
