import type { Database, SecretBox } from '@comanda/db';
import { auditAs } from '../../call/audit.ts';
import { CommandError } from '../../command-error.ts';
import { countSealed, type SealedRow, type SealedTable, sealedTables } from './sealed.statements.ts';

/** The result of a rotation, and the keys that still seal something after it. */
export interface KeyRotation {
  current_key_id: string;
  /** Secrets that were sealed again. */
  resealed: number;
  /** Secrets that already were as they should be. */
  unchanged: number;
  /** How many secrets each key id seals now, those of the given keys that seal nothing included. */
  keys: { key_id: string; secrets: number }[];
  /** Ids of given keys that nothing needs any more. */
  removable: string[];
}

/**
 * Seals every signing secret, and every answer kept for repeats that holds one, with the current key, a hundred to a
 * transaction, while everything else runs. It can be cut off anywhere and started again; finished rows are skipped.
 * Secrets that a process with older settings seals meanwhile are found by another round. `onProgress` is called with the
 * number of finished ones.
 *
 * @throws {CommandError} `conflict` when secrets are left that the given keys cannot open; the others are sealed
 * again.
 */
export async function rotateKey(
  database: Database,
  box: SecretBox,
  onProgress: (done: number, of: number) => void = () => {},
): Promise<KeyRotation> {
  const all = (await keysInUse(database, box)).reduce((sum, { secrets }) => sum + secrets, 0);
  const first = await round(database, box, (done) => onProgress(done, all));
  let { resealed } = first;
  let { unreadable } = first;
  let keys = await keysInUse(database, box);
  for (let more = 0; more < 2 && othersIn(keys, box) > unreadable.length; more += 1) {
    const again = await round(database, box);
    resealed += again.resealed;
    unreadable = again.unreadable;
    keys = await keysInUse(database, box);
  }
  if (unreadable.length > 0) throw leftOver(unreadable, resealed);
  return {
    current_key_id: box.currentKeyId,
    resealed,
    unchanged: first.unchanged,
    keys,
    removable: keys
      .filter(({ key_id, secrets }) => secrets === 0 && key_id !== box.currentKeyId)
      .map(({ key_id }) => key_id),
  };
}

interface Round {
  resealed: number;
  unchanged: number;
  /** The key ids of secrets that cannot be opened. */
  unreadable: string[];
}

const pageSize = 100;

async function round(
  database: Database,
  box: SecretBox,
  onProgress: (done: number) => void = () => {},
): Promise<Round> {
  const done: Round = { resealed: 0, unchanged: 0, unreadable: [] };
  for (const table of sealedTables) {
    let last: SealedRow | undefined;
    do {
      const rows = await database.run(table.read, [last?.location_id ?? nil, last?.place ?? null, pageSize]);
      last = rows.at(-1);
      await resealPage(database, box, table, rows, done);
      onProgress(done.resealed + done.unchanged + done.unreadable.length);
    } while (last !== undefined);
  }
  return done;
}

async function resealPage(
  database: Database,
  box: SecretBox,
  table: SealedTable,
  rows: readonly SealedRow[],
  done: Round,
): Promise<void> {
  const changed: { row: SealedRow; sealed: Buffer }[] = [];
  for (const row of rows) {
    try {
      const fresh = box.reseal({ keyId: row.encryption_key_id, sealed: row.sealed }, table.ownerOf(row));
      if (fresh === undefined) done.unchanged += 1;
      else changed.push({ row, sealed: fresh.sealed });
    } catch {
      done.unreadable.push(row.encryption_key_id);
    }
  }
  if (changed.length === 0) return;
  const written = await database.transaction(undefined, async (tx) => {
    const stored = await tx.run(table.write, [
      box.currentKeyId,
      changed.map(({ row }) => row.location_id),
      changed.map(({ row }) => row.place),
      changed.map(({ row }) => row.sealed),
      changed.map(({ sealed }) => sealed),
    ]);
    for (const [locationId, count] of countBy(stored.map(({ location_id }) => location_id))) {
      const after = { encryption_key_id: box.currentKeyId, secrets: count };
      const actor = { kind: 'command_line', locationId } as const;
      auditAs(tx, actor, 'secrets.rotateKey', null, { before: null, after });
    }
    return stored.length;
  });
  done.resealed += written;
}

async function keysInUse(database: Database, box: SecretBox): Promise<KeyRotation['keys']> {
  const rows = await database.run(countSealed, []);
  const unused = box.keyIds.filter((id) => rows.every(({ key_id }) => key_id !== id));
  return [...rows, ...unused.map((key_id) => ({ key_id, secrets: 0 }))];
}

const othersIn = (keys: KeyRotation['keys'], box: SecretBox): number =>
  keys.reduce((sum, { key_id, secrets }) => (key_id === box.currentKeyId ? sum : sum + secrets), 0);

function leftOver(unreadable: readonly string[], resealed: number): CommandError {
  const list = [...countBy(unreadable)].map(([id, count]) => `${count} sealed with the key "${id}"`);
  return new CommandError(
    'conflict',
    `${unreadable.length} secrets cannot be opened with the keys in ENCRYPTION_KEY and were left as they are: ` +
      `${list.join(', ')}. ${resealed} others were sealed again.`,
  );
}

function countBy(values: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

const nil = '00000000-0000-0000-0000-000000000000';
