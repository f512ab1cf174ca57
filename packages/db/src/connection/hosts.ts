import pg from 'pg';
import { hostsIn, wantedOf, withHosts } from '../settings/forms.mjs';
import { sessionNamed } from './session-name.ts';
import { stateOf } from './sql-states.ts';

/** The server that answers is not what the URL asks for. Its code is that of a write to a server that is read-only. */
export class WrongServerError extends Error {
  override name = 'WrongServerError';
  readonly code = stateOf('readOnly');
  constructor(wanted: string) {
    super(`the server is not what target_session_attrs=${wanted} asks for`);
  }
}

/** The servers that a URL names, of which one is spoken to at a time. */
export interface Hosts {
  readonly count: number;
  /** The URL of the one that is spoken to, for a client. */
  url(): string;
  /** Passes on to the next server, unless another session has reported since that URL. */
  missed(url: string): void;
  /** Hears from a client that has not connected yet what its server says of itself. */
  watch(client: pg.Client): void;
  /** @throws {WrongServerError} when the server of a client that has connected is not what is asked for; passes on, too. */
  check(client: object): void;
}

/**
 * The settings that a server reports when a session begins. PgBouncer reports none: the server behind it is not
 * known.
 */
type Standing = Partial<Record<'in_hot_standby' | 'default_transaction_read_only', string>>;

const isStandby = (standing: Standing) => standing.in_hot_standby === 'on';
const isReadOnly = (standing: Standing) =>
  isStandby(standing) || standing.default_transaction_read_only === 'on';

/** By `target_session_attrs`: whether a server is not wanted. The forms of the settings know the same words. */
const unwanted: Readonly<Record<string, (standing: Standing) => boolean>> = {
  any: () => false,
  'read-write': isReadOnly,
  primary: isStandby,
  'read-only': (standing) => !isReadOnly(standing),
  standby: (standing) => !isStandby(standing),
};

/**
 * Reads a URL as libpq does: `postgresql://user@a:5432,b:5432/db?target_session_attrs=read-write` means whichever of
 * both may be written to. Servers are tried in their order, from the last one that served; the parameters reported at
 * the start of a session show what a server is, so no query is needed.
 */
export function createHosts(url: string): Hosts {
  const urls = hostsIn(url).map((host) => withHosts(url, host));
  const wanted = wantedOf(url) ?? 'any';
  const standings = new WeakMap<object, Standing & { url: string }>();
  let at = 0;
  const current = () => urls[at] ?? url;
  const passOn = (missed: string) => {
    if (missed === current()) at = (at + 1) % urls.length;
  };
  return {
    count: urls.length,
    url: current,
    missed: passOn,
    watch(client) {
      const standing: Standing & { url: string } = { url: current() };
      standings.set(client, standing);
      client.connection.on('parameterStatus', ({ parameterName, parameterValue }: ParameterStatus) => {
        if (parameterName === 'in_hot_standby' || parameterName === 'default_transaction_read_only')
          standing[parameterName] = parameterValue;
      });
    },
    check(client) {
      const standing = standings.get(client);
      if (standing === undefined || unwanted[wanted]?.(standing) !== true) return;
      passOn(standing.url);
      throw new WrongServerError(wanted);
    },
  };
}

/**
 * Opens a session under `name` on the first server of the URL that will do. A later failure of it is emitted as an
 * `error` event, which needs a listener. Throws what the last server refused with.
 */
export async function openClient(named: string, name: string): Promise<pg.Client> {
  const { connectionString, ...session } = sessionNamed(named, name);
  const hosts = createHosts(connectionString);
  for (let tried = 1; ; tried += 1) {
    const url = hosts.url();
    const client = new pg.Client({ connectionString: url, ...session });
    client.on('error', () => {});
    hosts.watch(client);
    try {
      await client.connect();
      hosts.check(client);
      return client;
    } catch (error) {
      await client.end().catch(() => {});
      if (tried >= hosts.count) throw error;
      hosts.missed(url);
    }
  }
}

interface ParameterStatus {
  parameterName: string;
  parameterValue: string;
}
