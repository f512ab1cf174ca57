import { readSettings, type Settings } from '@comanda/db';
import { embeddedUrl } from './server.ts';

/**
 * Where a command reaches the database past any pooler, as the service or as the owner; null when none is set and none
 * runs in DATA_DIR. Without DATABASE_OWNER_URL one role does everything.
 */
export async function databaseUrlOf(settings: Settings, role: 'service' | 'owner'): Promise<string | null> {
  const { databaseOwnerUrl, databaseDirectUrl, databaseUrl, dataDir } = settings;
  const given = databaseDirectUrl ?? databaseUrl;
  if (given === undefined) return embeddedUrl(dataDir, role).catch(() => null);
  return role === 'owner' ? (databaseOwnerUrl ?? given) : given;
}

/** The database for a person: DATABASE_URL, else the running embedded one as that role; null when neither. */
export async function findDatabase(
  env: Readonly<Record<string, string | undefined>>,
  role: 'admin' | 'reader' = 'admin',
): Promise<string | null> {
  const { DATABASE_URL, DATABASE_URL_FILE, DATA_DIR } = env;
  const { databaseUrl, dataDir } = readSettings({ DATABASE_URL, DATABASE_URL_FILE, DATA_DIR });
  return databaseUrl ?? embeddedUrl(dataDir, role);
}
