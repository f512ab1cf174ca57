import type { AnyRouter } from '@trpc/server';
import { z } from 'zod';
import { inFamily, type Operation, operationsOf } from '../../call/operations.ts';
import type { CallRequest } from '../../call/request.ts';
import type { Caller } from '../../credentials/credentials.ts';
import { grants } from '../../permissions.ts';
import { dayInFigures } from './day-in-figures.ts';
import { endpointDiagnosis } from './endpoint-diagnosis.ts';
import { type Job, jobOperationName, operationFor, operationOf } from './jobs.ts';
import { orderStory } from './order-story.ts';
import { type ArgumentsSchema, argumentsSchema } from './schema.ts';
import { forModels } from './words.ts';

/** An operation of v2 as models call it, or a job. */
export interface Tool {
  operation: Operation;
  /** Of a job: its operation with the work that one request asks for. */
  operationFor?(request: CallRequest): Operation;
  /** As `tools/list` shows it. */
  listed: {
    name: string;
    title: string;
    description: string;
    inputSchema: ArgumentsSchema;
    annotations: Annotations;
  };
}

/** What a client may ask a person about before it calls the tool. */
interface Annotations {
  readOnlyHint: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
}

const jobs = [orderStory, endpointDiagnosis, dayInFigures] as readonly Job[];

/** The names that the log and the metrics have for jobs. */
export const jobNames: readonly string[] = jobs.map(jobOperationName);

/**
 * The tools of a router: every operation with a path of v2, except exports (their answers have no bound) and
 * those that answer a secret; and the jobs. One at a time, since all of them take 50 ms. Throws for a name that clients would refuse.
 */
export function* toolsOf(router: AnyRouter): Generator<Tool> {
  const all = operationsOf(router);
  const operations = all.filter(isTool);
  for (const each of operations) yield toolOf(inFamily(each, 'v2'), operations);
  const parts = new Map(all.map((each) => [each.name, inFamily(each, 'v2')]));
  for (const job of jobs)
    yield {
      ...toolOf(operationOf(job), [], job.name),
      operationFor: (request) => operationFor(job, parts, request),
    };
}

/** The tools that the permissions of a key grant. */
export const visibleTo = (tools: Iterable<Tool>, { granted }: Pick<Caller, 'granted'>): Tool[] =>
  [...tools].filter(
    ({ operation: { meta } }) => meta.permission === null || grants(granted, meta.permission),
  );

function isTool({ kind, meta, output, routes }: Operation): boolean {
  if (!routes.some(({ version }) => version === 'v2')) return false;
  if (kind === 'query' && meta.batch) return false;
  return !(output instanceof z.ZodObject && 'secret' in output.shape);
}

/** `orders.getByExternalId` as `orders_get_by_external_id`. */
export const toolName = (operation: string): string =>
  operation.replace('.', '_').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function toolOf(operation: Operation, all: readonly Operation[], name = toolName(operation.name)): Tool {
  if (!/^[a-z0-9_]{1,40}$/.test(name)) throw new Error(`${name} is no name of a tool`);
  const listed = {
    name,
    title: operation.meta.summary,
    description: descriptionOf(operation, all),
    inputSchema: argumentsSchema(operation),
    annotations: annotationsOf(operation),
  };
  return { operation, listed };
}

function descriptionOf({ name, meta, input }: Operation, all: readonly Operation[]): string {
  const quote = name.replace(/\.create$/, '.quote');
  const isQuoted = quote !== name && all.some((each) => each.name === quote);
  return [
    `${meta.summary}.`,
    meta.description && forModels(meta.description),
    isQuoted &&
      `Rehearse it with \`${toolName(quote)}\`, which takes the same arguments and changes nothing.`,
    'dry_run' in input.shape && 'Rehearse it with `dry_run`: true, which changes nothing.',
  ]
    .filter((part) => typeof part === 'string' && part !== '')
    .join(' ');
}

/** Only a creation destroys nothing. A change or a deletion that is repeated leaves what the first left. */
function annotationsOf({ kind, meta, routes }: Operation): Annotations {
  if (kind === 'query') return { readOnlyHint: true };
  return {
    readOnlyHint: false,
    destructiveHint: meta.status !== 201,
    idempotentHint: meta.idempotent === true || routes.some(({ method }) => /^(PATCH|DELETE)$/.test(method)),
  };
}
