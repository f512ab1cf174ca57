import fc from 'fast-check';
import { expect, test } from 'vitest';
import { trials } from '../support/trials.ts';
import { campaign, WrongAnswer } from './campaign.ts';
import type { Documented } from './documents.ts';
import { bodyIn, type Ground, learn, openGround } from './existing.ts';
import { useField } from './field.ts';
import { judge } from './judge.ts';
import { type Plan, plans, toWire } from './requests.ts';
import { asCurl, type WireAnswer } from './send.ts';

const length = 12;
const runs = Math.ceil(trials(960, 2_400) / length);

const field = useField('sequences');

interface Step {
  subject: Documented;
  plan: Plan;
}

// The state after a sequence is not predicted; but every answer must hold.
test('sequences that make, use, change and delete are answered as documented, and what was made is there', async () => {
  const { api, sender, documented, tally } = field;
  const step = fc.oneof(
    ...documented.map((subject) => ({
      weight: subject.route.method === 'GET' ? 1 : 3,
      arbitrary: plans(subject).map((plan): Step => ({ subject, plan: orderly(plan, subject) })),
    })),
  );
  const sequence = fc.array(step, { minLength: 3, maxLength: length, size: 'max' });
  let found = 0;
  await campaign('sequences', runs, sequence, async (steps) => {
    const ground = await openGround(api);
    const lines: string[] = [];
    for (const { subject, plan } of steps) {
      const example = await bodyIn(ground, subject.operation);
      const request = toWire(subject, plan, ground, subject.route.method === 'GET' ? {} : example);
      const answer = await sender.send(request);
      const name = `${subject.route.method} ${subject.route.path}`;
      tally.count(name, answer);
      lines.push(asCurl(api.url, request));
      try {
        judge(subject, request, answer, true);
        remember(ground, name, answer);
        if (answer.status === 201) found += await requireThere(ground, answer);
        // Later steps place orders.
        if (name.endsWith('/pause')) await api.sql`update locations set paused = false`;
      } catch (fault) {
        throw new WrongAnswer(fault, lines.join('\n  '), `${answer.status} ${answer.text}`);
      }
    }
  });
  expect(found).toBeGreaterThan(runs / 4);
}, 600_000);

// Odd paths and methods are tried elsewhere: here each step must go deep.
function orderly(plan: Plan, { route, body }: Documented): Plan {
  const form =
    body === undefined ? 'absent' : plan.form === 'cut' || plan.form === 'raw' ? 'json' : plan.form;
  return {
    ...plan,
    method: route.method,
    oddPath: '',
    oddQuery: '',
    key: 'own',
    headers: [],
    form,
    changes: plan.changes.slice(1),
  };
}

/** Later requests can refer to the created rows. */
function remember({ known }: Ground, name: string, { status, body }: WireAnswer): void {
  const data = (body as { data?: unknown }).data;
  if (status >= 300 || typeof data !== 'object' || data === null) return;
  const { id, job_id, external_id, sku } = data as Record<string, unknown>;
  const resource = name.split('/')[2] ?? '';
  if (typeof id === 'string') learn(known, 'id', id);
  if (typeof job_id === 'string') learn(known, 'id', job_id);
  if (typeof id === 'string' && resource === 'products') learn(known, 'product_id', id);
  if (typeof id === 'string' && resource === 'categories') learn(known, 'category_id', id);
  if (typeof external_id === 'string') learn(known, 'external_id', external_id);
  if (typeof sku === 'string') learn(known, 'sku', sku);
}

async function requireThere(ground: Ground, { headers }: WireAnswer): Promise<number> {
  const target = headers.get('location') ?? '';
  const key: [string, string] = ['Authorization', `Bearer ${ground.kitchen.key}`];
  const answer = await field.sender.send({ method: 'GET', target, headers: [key] });
  if (answer.status !== 200) throw new Error(`made, but GET ${target} answers ${answer.status}`);
  return 1;
}
