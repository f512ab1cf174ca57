import { z } from 'zod';
import { differsByFamily } from '../../packages/api/src/resources/events/data.rules.ts';
import { type EventType, events, eventTypes } from '../../packages/api/src/resources/events/types.schema.ts';
import { examplesOf, type RecordedStep } from './recorder.ts';

/**
 * `docs/events.md`: every event type with its trigger and a body that was really published.
 *
 * @throws {Error} when a step emitted other events than the story says, or the story leaves a type out.
 */
export function eventsPage(recorded: readonly RecordedStep[]): string {
  for (const each of recorded) requireAll(each);
  const examples = examplesOf(recorded);
  const missing = eventTypes.filter((type) => examples[type] === undefined);
  if (missing.length > 0) throw new Error(`the story shows no ${missing.join(', ')}`);
  return [
    '# Events',
    'Made by `npm run docs`; do not edit. Every body below was published: the service ran, the change was made as ' +
      'said, the database captured it and the relay wrote the event. Only ids and times were made neat, and spaces ' +
      'are as they read best. A test plays the same story again and compares.',
    [
      'A delivery carries the body as text, the same bytes at every attempt, with these headers:',
      '`Content-Type: application/json`, `User-Agent`, `X-Comanda-Event-Id`, `X-Comanda-Event-Type`,',
      '`X-Comanda-Attempt`, `Content-Digest`, `webhook-id`, `webhook-timestamp`, `webhook-signature`, and `traceparent` where there is a trace. Endpoints that were created',
      `through \`/v1/webhooks\` get \`"api_version": "v1"\` and are equal otherwise${ownFields()}. Any author of a change makes its`,
      'event: an operation, a sync job, the command line, Prisma Studio, psql.',
    ].join(' '),
    '## What one action sends',
    table(
      ['Action', 'By', 'Events'],
      recorded.map(({ step, events: sent }) => [
        step.title,
        `\`${step.by}\``,
        counted(sent.map(({ type }) => type)),
      ]),
    ),
    'Events of one action can arrive in any order; each shows its resource as of the change or later.',
    '## Every type',
    ...eventTypes.flatMap((type) => section(type, recorded, examples[type])),
    '',
  ].join('\n\n');
}

/** The same bodies for the v2 document, as TypeScript; a string each, for a file that can be read at a glance. */
export function examplesModule(recorded: readonly RecordedStep[]): string {
  const examples = examplesOf(recorded);
  const rows = eventTypes.map((type) => `  '${type}': ${literal(JSON.stringify(examples[type]))},`);
  return [
    '// Made by `npm run docs` from events that were really published; do not edit.',
    "import type { EventType } from '../resources/events/types.schema.ts';",
    '',
    '/** A body of every event type as v2 endpoints receive it; only ids and times were made neat. */',
    `export const eventBodies: Readonly<Record<EventType, string>> = {\n${rows.join('\n')}\n};`,
    '',
  ].join('\n');
}

/** The types whose data has fields that one family alone has. */
function ownFields(): string {
  const types = eventTypes.filter(differsByFamily).map((type) => `\`${type}\``);
  return types.length === 0 ? '' : `, except for the fields of their family in ${types.join(', ')}`;
}

function requireAll({ step: { title, emits }, events: sent }: RecordedStep): void {
  const found = sent.map(({ type }) => type).sort();
  if (JSON.stringify(found) === JSON.stringify([...emits].sort())) return;
  throw new Error(`"${title}" emitted ${found.join(', ')}; the story says ${emits.join(', ')}`);
}

function section(type: EventType, recorded: readonly RecordedStep[], example: unknown): string[] {
  const { category, permission, trigger, data } = events[type];
  const shown = recorded.find(({ step }) => step.shows.includes(type))?.step;
  const schema = z.globalRegistry.get(data)?.id;
  const others = recorded
    .filter(({ step, events: sent }) => step !== shown && sent.some((event) => event.type === type))
    .map(({ step }) => `\`${step.by}\``);
  const also = [...new Set(others)].filter((by) => by !== `\`${shown?.by}\``);
  return [
    `### ${type}`,
    [
      `${category}. Sent when ${trigger}. \`data\`: \`${schema}\`. A key needs \`${permission}\`.`,
      `Here: ${lower(shown?.title ?? '')} (\`${shown?.by}\`).`,
      ...(also.length > 0 ? [`In the same story also by ${also.join(', ')}.`] : []),
    ].join(' '),
    `\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\``,
  ];
}

function counted(types: readonly EventType[]): string {
  const counts = new Map<EventType, number>();
  for (const type of types) counts.set(type, (counts.get(type) ?? 0) + 1);
  return [...counts].map(([type, count]) => `\`${type}\`${count > 1 ? ` × ${count}` : ''}`).join(', ');
}

const literal = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`;

const lower = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
