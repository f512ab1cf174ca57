/** The client that a procedure belongs to, and the data kept with it. @internal */
export interface Origin {
  client?: object;
  /** Its live lists. Kept here, so that every copy of this code finds the same. */
  live?: unknown;
}

/** Where a procedure is in its client. @internal */
export interface Called {
  /** `.orders.list`. */
  path: string;
  of: Origin;
}

/** The property of a procedure under which it says where it is. @internal */
export const calledAs: unique symbol = Symbol.for('comanda.called') as never;

/** Where a procedure is in its client, the `path` without its first dot. Throws a `TypeError` for what is no procedure of `createClient`. @internal */
export function calledOf(procedure: object): Called {
  const called = Reflect.get(procedure, calledAs) as Called | undefined;
  if (called === undefined)
    throw new TypeError('this is not a procedure of a client that createClient() made');
  return { ...called, path: called.path.slice(1) };
}
