import type { ComandaClient } from '../client.ts';

/** The paths of the calls of a client, as in `'orders.create'`. */
type Paths<Tree, Before extends string = ''> = {
  [Name in keyof Tree & string]: Tree[Name] extends { query: unknown } | { mutate: unknown }
    ? `${Before}${Name}`
    : Tree[Name] extends object
      ? Paths<Tree[Name], `${Before}${Name}.`>
      : never;
}[keyof Tree & string];

/** The path of a procedure that a front can allow. `events.list` is allowed by the types of events alone. */
export type FrontProcedure = Exclude<Paths<ComandaClient>, 'events.list'>;
