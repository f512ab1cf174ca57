import { type ComandaClient, comandaError, noAnswer } from '@comanda/client';

/** The outcome of a call, as far as a fake and a service can be compared: ids of requests and texts of state differ. */
export type CallOutcome = { refused: object } | { noAnswer: string } | { thrown: unknown } | 'answered';

/** Calls a procedure by its path, with any input, and returns the outcome. */
export async function outcomeOf(
  client: ComandaClient,
  path: string,
  way: 'query' | 'mutate',
  input: unknown,
): Promise<CallOutcome> {
  try {
    await ask(client, path, way, input);
    return 'answered';
  } catch (error) {
    const refused = comandaError(error);
    if (refused !== undefined) {
      const { requestId: _, ...said } = refused;
      return { refused: said };
    }
    const kind = noAnswer(error);
    return kind === undefined ? { thrown: error } : { noAnswer: kind };
  }
}

/** Calls a procedure by its path: `orders.create`. */
export function ask(
  client: ComandaClient,
  path: string,
  way: 'query' | 'mutate',
  input: unknown,
  options?: { signal?: AbortSignal },
): Promise<unknown> {
  let at: unknown = client;
  for (const name of path.split('.')) at = (at as Record<string, unknown>)[name];
  return (at as Record<typeof way, (input: unknown, options?: object) => Promise<unknown>>)[way](
    input,
    options,
  );
}

/** The reason of a refusal; undefined for all else. */
export const reasonOf = (outcome: CallOutcome): string | undefined =>
  typeof outcome === 'object' && 'refused' in outcome
    ? (outcome.refused as { reason: string }).reason
    : undefined;
