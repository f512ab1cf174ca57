import { type ReasonRow, row } from './row.ts';

/** Reasons of a server in front of browsers (`@comanda/client/front`), which refuses in the shapes of the service. */
export const frontReasons = {
  front_signed_out: row(
    'unauthorized',
    'The session of the application is not signed in, or has ended; the answer is that of its own server, not of the service.',
    'Show the sign-in of the application.',
  ),
  front_not_allowed: row(
    'permission_denied',
    'The server in front of the service does not allow this procedure, or any of these types of events, to the session.',
    'Add it to what `allow` gives, where the application needs it.',
  ),
  front_not_set_up: row(
    'internal_error',
    'The server in front of the service lacks a setting, or its key is refused.',
    'Read the log of that server, and set its `url` and `key`.',
  ),
} as const satisfies Record<string, ReasonRow>;
