const replays = new WeakSet<object>();

/**
 * Whether an answer of a mutation is that of an earlier call with the same idempotency key: what was asked for had
 * been done before. A repeat that the client made by itself counts, too.
 *
 * @example
 * const order = await comanda.orders.create.mutate(input);
 * if (wasReplayed(order)) console.log('it was there already');
 */
export function wasReplayed(answer: object): boolean {
  return replays.has(answer);
}

/** Keeps whether a mutation's answer was a replay; those alone have a response to themselves. @internal */
export function noteReplay(
  { type }: { type: string },
  { result, context }: { result: object; context?: Record<string, unknown> | undefined },
): void {
  const { headers } = (context?.response ?? {}) as { headers?: Headers };
  if (type !== 'mutation' || headers?.get('idempotency-replayed') !== 'true') return;
  const { data } = result as { data?: unknown };
  if (data instanceof Object) replays.add(data);
}
