import { type Database, type Sessions, UnwantedError } from '@comanda/db';
import type { CallContext, Executor } from './context.ts';

/** The database for what is only read for the caller of a call: it ends once the caller has left. */
export const readsFor = ({ app, left }: Pick<CallContext, 'app' | 'left'>): Sessions =>
  left === undefined ? app.database : app.database.until(left);

/** The call with such a database: for operations that only read. */
export function whileThere(ctx: CallContext): CallContext {
  if (ctx.left === undefined) return ctx;
  // Prototypes cost less than copies.
  const database = Object.assign(Object.create(ctx.app.database) as Database, readsFor(ctx));
  const app = Object.assign(Object.create(ctx.app) as Executor, { database });
  return { ...ctx, app };
}

/** Throws `UnwantedError` once the caller of a call has left: before a write that has waited. */
export function refuseLeft({ left }: Pick<CallContext, 'left'>): void {
  if (left?.isGone) throw new UnwantedError();
}
