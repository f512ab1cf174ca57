import { answeredWith } from './answered.ts';

/**
 * Whether an answer of a mutation is that of an earlier call with the same idempotency key: what was asked for had
 * been done before. A repeat that the client made by itself counts, too.
 *
 * @example
 * const order = await comanda.orders.create.mutate(input);
 * if (wasReplayed(order)) console.log('it was there already');
 */
export function wasReplayed(answer: object): boolean {
  const came = answeredWith(answer);
  // Mutations alone have a response to themselves.
  return came?.index === undefined && came?.headers.get('idempotency-replayed') === 'true';
}
