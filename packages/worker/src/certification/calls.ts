import type { Call } from './statements.ts';

/** Whether a call moves an order. */
export const isMove = ({ operation }: Call): boolean => /^orders\.(updateStatus|cancel)$/.test(operation);

/** Whether a call reads what the catalog is made of. */
export const isPull = ({ operation }: Call): boolean =>
  /^(catalog\.get|products\.(list|get|getByExternalId)|categories\.list|menus\.active)$/.test(operation);

/** Whether a call does more than read the feed, or ask for what the program itself may do. */
export const isEffect = ({ operation }: Call): boolean =>
  !/^(events|limits|webhookEndpoints)\./.test(operation);

/** Whether the call was answered, and was not refused. */
export const isGood = ({ status }: Call): boolean => status !== null && status < 400;
