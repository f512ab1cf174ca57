import type { StudioDatabase } from './database.ts';

/** The one restaurant that a Studio shows. */
export interface Scope {
  id: string;
  name: string;
}

/** Names of all restaurants by their ids. */
export async function locationNames(database: StudioDatabase): Promise<Record<string, string>> {
  return Object.fromEntries((await readLocations(database)).map(({ id, name }) => [id, name]));
}

/**
 * The restaurant that `--location` names by its id, its code or its name.
 * @throws {Error} none is called so, or several are.
 */
export async function findScope(database: StudioDatabase, wanted: string): Promise<Scope> {
  const all = await readLocations(database);
  const isWanted = (text: string | null) => text?.toLowerCase() === wanted.trim().toLowerCase();
  const [byId] = all.filter(({ id, code }) => isWanted(id) || isWanted(code));
  const byName = all.filter(({ name }) => isWanted(name));
  const [found, another] = byId === undefined ? byName : [byId];
  if (found === undefined)
    throw new Error(`--location: there is no location ${wanted} (comanda locations list)`);
  if (another !== undefined)
    throw new Error(
      `--location: several are called ${found.name}: say ${byName.map(({ code }) => code).join(' or ')}`,
    );
  return { id: found.id, name: found.name };
}

async function readLocations(
  database: StudioDatabase,
): Promise<{ id: string; name: string; code: string | null }[]> {
  const read = await database.run([{ sql: 'select id, name, code from locations' }]);
  if ('refusal' in read) throw new Error(read.refusal.message);
  return (read.rows[0] ?? []) as { id: string; name: string; code: string | null }[];
}
