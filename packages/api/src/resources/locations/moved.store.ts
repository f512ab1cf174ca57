import type { Queryable } from '@comanda/db';
import * as sql from './moved.statements.ts';

/** A location as its keys name it. */
export interface Named {
  id: string;
  code: string;
}

/** Says that a location is in another cell from now on: every process answers its keys `moved`, within a second. */
export async function rememberMoved(on: Queryable, { id, code }: Named, cell: string): Promise<void> {
  await on.run(sql.rememberMoved, [code, id, cell]);
}

/** Says that a location is here: as when it came back, or its move is given up. */
export async function forgetMoved(on: Queryable, { code }: Pick<Named, 'code'>): Promise<void> {
  await on.run(sql.forgetMoved, [code]);
}
