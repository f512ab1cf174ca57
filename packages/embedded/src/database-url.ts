import type { Settings } from '@comanda/db';
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
