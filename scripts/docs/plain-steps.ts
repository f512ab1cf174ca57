import { operationsOf } from '@comanda/api';
import { appRouter } from '@comanda/api/router';
import { exampleInput, exampleOf } from '../../packages/api/src/documents/examples.ts';
import type { Operation } from '../../packages/api/src/request/operations.ts';
import { type EventType, eventTypes } from '../../packages/api/src/resources/events/types.schema.ts';
import type { Scene, Step } from './story.ts';

const operations = operationsOf(appRouter);

/**
 * Steps for the plain resources that the story leaves out: `supplier.created`, `.updated` and `.deleted`, by the operations
 * of `suppliers` and their examples.
 */
export function plainSteps(shown: ReadonlySet<EventType>): Step[] {
  return eventTypes.flatMap((type): Step[] => {
    const [, kind = '', action = ''] = /^(\w+)\.(created|updated|deleted)$/.exec(type) ?? [];
    const verb = verbs[action];
    const operation = operations.find(({ name }) => name === `${kind}s.${verb}`);
    if (shown.has(type) || verb === undefined || operation === undefined) return [];
    const by = operation.meta.rest?.[0] ?? operation.name;
    const run = (scene: Scene) => play(scene, kind, verb, operation);
    return [{ title: `A ${kind} is ${action}`, by, emits: [type], shows: [type], run }];
  });
}

const verbs: Readonly<Record<string, string>> = { created: 'create', updated: 'update', deleted: 'delete' };

// A created resource has no more fields than it must; an update sets all that it can.
async function play(
  { client, made }: Scene,
  kind: string,
  verb: string,
  operation: Operation,
): Promise<void> {
  const id = made.get(kind);
  const input = {
    ...(verb === 'update' ? (exampleOf(operation.input) as object) : exampleInput(operation)),
    ...(id !== undefined && { id }),
  };
  const resources = client as unknown as Record<string, Record<string, Mutation>>;
  const answer = await resources[`${kind}s`]?.[verb]?.mutate(input);
  if (answer !== undefined) made.set(kind, answer.id);
}

interface Mutation {
  mutate(input: object): Promise<{ id: string }>;
}
