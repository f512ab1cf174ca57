import type { Database, Queryable } from '@comanda/db';

/**
 * The source of a call's reads: the primary, or a replica that shows all that was committed when the call asked. Any
 * given read may run twice, again on the primary when the replica fails it, so it only reads.
 */
export interface Reads extends Queryable {
  /** Whether a replica may answer, to which nothing can be written. */
  readonly fromReplica: boolean;
  /** Runs statements that belong together. */
  session<Result>(work: (on: Queryable) => Promise<Result>): Promise<Result>;
  /** Anything else. To be awaited once a connection is held and before anything is read: `fresh`. */
  on<Result>(read: (database: Database, fresh: () => Promise<void>) => Promise<Result>): Promise<Result>;
}

/** Reads from the primary, which is always fresh. */
export function readsFrom(database: Database): Reads {
  return {
    fromReplica: false,
    run: (statement, values) => database.run(statement, values),
    session: (work) => work(database),
    on: (read) => read(database, async () => {}),
  };
}

/**
 * The same over `on` alone. The connection is taken before the replica is asked how far it is: so the server that
 * answers that is the one that is read, and has not been restarted in between.
 */
export function readsOver(on: Reads['on']): Reads {
  const session: Reads['session'] = (work) =>
    on((database, fresh) =>
      database.session(async (connection) => {
        await fresh();
        return work(connection);
      }),
    );
  return {
    fromReplica: true,
    run: (statement, values) => session((connection) => connection.run(statement, values)),
    session,
    on,
  };
}
