import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { isAllowedAddress, type WebhookTargets } from '@comanda/api/services';
import { buildConnector } from 'undici';
import { watchAnswers } from './answer-status.ts';

/** An address that a name resolved to. */
export interface ResolvedAddress {
  address: string;
  /** 4 or 6. */
  family: number;
}

/** DNS: every address of a name, in the order to try them; rejects as `node:dns` does. */
export type ResolveName = (hostname: string) => Promise<ResolvedAddress[]>;

/** Asks the operating system. */
export const resolveName: ResolveName = (hostname) => lookup(hostname, { all: true });

/** A name resolved to an address that webhooks must not reach; the message may be shown to the owner. */
export class AddressRefusedError extends Error {
  override name = 'AddressRefusedError';
}

/** Opens connections, and judges the names of those that are open. */
export interface Connector {
  connect: buildConnector.connector;
  /** Resolves the name of a URL. Rejects as a connection to it would: for an answer that is not allowed, and for none. */
  check(url: URL): Promise<void>;
}

/**
 * Opens connections for undici. Names are resolved here and nowhere else: unless every answer is allowed none is
 * used, and the socket connects to the very addresses that were checked. Literal addresses never reach a lookup;
 * `checkWebhookUrl` judges those before.
 */
export function createConnector(options: {
  timeoutMs: number;
  targets: WebhookTargets;
  allowCidrs: readonly string[];
  resolve: ResolveName;
  ca: string | string[] | undefined;
}): Connector {
  const { timeoutMs, targets, allowCidrs, ca } = options;
  const resolve = shareLookups(options.resolve);
  const lookupFor = (protocol: 'http:' | 'https:') =>
    guardedLookup(resolve, (ip) => {
      if (isAllowedAddress(ip, targets, allowCidrs, protocol)) return undefined;
      return isAllowedAddress(ip, targets, allowCidrs) ? 'may only be reached over https' : 'is not public';
    });
  const lookups = { plain: lookupFor('http:'), secure: lookupFor('https:') };
  const connectorFor = (lookup: LookupFunction) =>
    buildConnector({
      timeout: timeoutMs,
      lookup,
      autoSelectFamilyAttemptTimeout: 1_000,
      // A resumed session is not asked for its name again, so none is kept.
      maxCachedSessions: 0,
      rejectUnauthorized: true,
      ...(ca !== undefined && { ca }),
    });
  const plain = connectorFor(lookups.plain);
  const secure = connectorFor(lookups.secure);
  return {
    connect(target, callback) {
      const open = target.protocol === 'https:' ? secure : plain;
      open(target, (...[error, socket]) => {
        if (error !== null) return callback(error, null);
        watchAnswers(socket);
        callback(null, socket);
      });
    },
    check({ protocol, hostname }) {
      if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return Promise.resolve();
      const lookup = protocol === 'https:' ? lookups.secure : lookups.plain;
      return new Promise((resolve, reject) =>
        lookup(hostname, { all: true }, (error) => (error === null ? resolve() : reject(error))),
      );
    },
  };
}

function guardedLookup(resolve: ResolveName, refusal: (ip: string) => string | undefined): LookupFunction {
  const resolveAllowed = async (hostname: string, family: number): Promise<ResolvedAddress[]> => {
    const answers = await resolve(hostname);
    for (const { address } of answers) {
      const reason = refusal(address);
      if (reason) throw new AddressRefusedError(`address ${address} of ${hostname} ${reason}`);
    }
    return answers.filter((answer) => family === 0 || answer.family === family);
  };
  return (hostname, { all, family }, callback) => {
    resolveAllowed(hostname, familyNumber(family)).then(
      (answers) => {
        const [first] = answers;
        if (first === undefined) callback(notFound(hostname), '', 0);
        else if (all) callback(null, answers);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, '', 0),
    );
  };
}

// The operating system resolves few names at a time: one dead name must not hold up the others.
function shareLookups(resolve: ResolveName): ResolveName {
  const running = new Map<string, Promise<ResolvedAddress[]>>();
  return (hostname) => {
    const started = running.get(hostname);
    if (started) return started;
    const answer = resolve(hostname).finally(() => running.delete(hostname));
    running.set(hostname, answer);
    return answer;
  };
}

function familyNumber(family: number | 'IPv4' | 'IPv6' | undefined): number {
  if (family === 'IPv4') return 4;
  return family === 'IPv6' ? 6 : (family ?? 0);
}

function notFound(hostname: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`no address of ${hostname}`), { code: 'ENOTFOUND' });
}
