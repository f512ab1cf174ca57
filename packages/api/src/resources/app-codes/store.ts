import { hash as digest, randomBytes } from 'node:crypto';
import type { Database } from '@comanda/db';
import { auditAs } from '../../call/audit.ts';
import type { JoinedRead } from '../../capacity/joined-reads.ts';
import { findLocation } from '../keys/store.ts';
import { type CodeCreate, CodeCreate as CodeCreateSchema } from './schema.ts';
import * as sql from './statements.ts';

/**
 * Makes a code for the app from outside of any location: the command line, the start. Its text is in the answer and
 * nowhere else. Throws `validation_error` for an unknown location.
 */
export async function issueCode(
  database: Database,
  input: CodeCreate,
): Promise<{ code: string; location_id: string }> {
  const { name, screens, hours, location_id } = CodeCreateSchema.parse(input);
  const { id, code: place } = await findLocation(database, location_id);
  // As in a key, what leads to its cell comes first.
  const code = `${place}_${randomBytes(codeBytes).toString('base64url')}`;
  const opened = [...new Set(screens)];
  await database.transaction(undefined, async (tx) => {
    await tx.run(sql.insertCode, [hashOf(code), id, name, opened, hours]);
    auditAs(tx, { kind: 'command_line', locationId: id }, 'appCodes.create', null, {
      before: null,
      after: { name, screens: opened, hours },
    });
  });
  return { code, location_id: id };
}

/** Codes by their hashes, read together: the codes that are given, right or wrong, keep one connection of a process busy at most. */
export const foundCodes: JoinedRead<Buffer, sql.FoundCode> = {
  textOf: (hash) => hash.toString('latin1'),
  async read(database, hashes) {
    const rows = await database.run(sql.findCodes, [hashes]);
    return new Map(rows.map((row) => [row.code_hash.toString('latin1'), row]));
  },
};

/** The stored form of a code; undefined for a text that is none. */
export function codeHash(text: string): Buffer | undefined {
  return codePattern.test(text) ? hashOf(text) : undefined;
}

const codeBytes = 24;
const codePattern = /^[0-9a-hjkmnp-tv-z]{8}_[\w-]{32}$/;
const hashOf = (code: string): Buffer => digest('sha256', code, 'buffer');
