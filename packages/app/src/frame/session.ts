import { type ComandaClient, comandaError, createClient } from '@comanda/client';

/** The person signed in in this tab: the key, its screens, its location. */
export type Session = Awaited<ReturnType<ComandaClient['appCodes']['redeem']['mutate']>>;

/** A screen of the app. */
export type ScreenName = Session['screens'][number];

const keptAs = 'comanda.session';

/** The session of this tab; it ends with the tab. */
export function keptSession(): Session | undefined {
  const text = sessionStorage.getItem(keptAs);
  return text === null ? undefined : (JSON.parse(text) as Session);
}

/** Keeps a session for the tab, or forgets it. */
export function keepSession(session: Session | undefined): void {
  if (session === undefined) sessionStorage.removeItem(keptAs);
  else sessionStorage.setItem(keptAs, JSON.stringify(session));
}

/** The code of a link (`…/app#code=…`), or a code by itself. */
export function codeIn(text: string): string | undefined {
  return /(?:^|#code=)([\w-]{41})$/.exec(text.trim())?.[1];
}

/** Takes the code out of the address, so that neither the history nor a copy of the address has it. */
export function takeCode(): string | undefined {
  if (!location.hash.startsWith('#code=')) return undefined;
  const code = location.hash.slice('#code='.length);
  history.replaceState(null, '', location.pathname + location.search);
  return code;
}

/** Exchanges a code. It is asked once: a repeat would find it used. */
export function redeem(code: string): Promise<Session> {
  // No key: where there are several cells, a proxy reads of it which one knows the code.
  const key = `cmd_app_${encodeURIComponent(code.slice(0, 8))}_`;
  const client = createClient({ url: location.origin, key, retries: 0 });
  return client.appCodes.redeem.mutate({ code });
}

/**
 * Revokes the key of a session that has ended in this tab. It is not awaited: without a connection within five seconds
 * the key lives to its end.
 */
export function signOut({ key }: Session): void {
  const client = createClient({
    url: location.origin,
    key,
    timeoutMs: 5_000,
    // It goes on when the tab is closed right after.
    fetch: (input, init) => fetch(input, { ...init, keepalive: true }),
  });
  client.appCodes.signOut.mutate({ key }).catch(() => {});
}

/** The client of a session; one for as long as the session. */
export const clientOf = ({ key }: Session): ComandaClient => createClient({ url: location.origin, key });

/** Whether an error that a call threw says that the key has ended. */
export const hasEnded = (error: unknown): boolean => comandaError(error)?.code === 'unauthorized';
