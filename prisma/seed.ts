import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { issueKey, newApiKey, parseApiKey, revokeKey } from '@comanda/api/services';
import { type Database, newId, openDatabase } from '@comanda/db';
import { seedCatalog } from './seed/catalog.ts';
import { seedHistory } from './seed/history.ts';

/** The name by which the demo key is known. */
const demoKeyName = 'demo';
const demoLocationName = 'Cantina Aurora';

/**
 * Makes the demo location once, on a database without locations, all in one transaction; then sees to the demo
 * key: its text is kept in `DATA_DIR/demo-key` (mode 0600), and when the file is lost the old key is revoked and
 * a new one made. Returns no key when the database holds other people's locations.
 */
export async function seedDemo({
  databaseUrl,
  dataDir,
}: {
  databaseUrl: string;
  dataDir: string;
}): Promise<{ key: string | undefined }> {
  const database = openDatabase({ url: databaseUrl, poolSize: 2, applicationName: 'comanda-seed' });
  try {
    const file = join(dataDir, 'demo-key');
    if ((await database.prisma.location.count()) === 0) await seedLocation(database, new Date(), file);
    return { key: await demoKey(database, file) };
  } finally {
    await database.close();
  }
}

async function seedLocation(database: Database, now: Date, keyFile: string): Promise<void> {
  const locationId = newId();
  await database.prisma.$transaction(
    async (tx) => {
      await tx.location.create({
        data: { id: locationId, name: demoLocationName, timezone: 'America/Montevideo', currency: 'UYU' },
      });
      const methods = [
        { id: newId(), name: 'Cash', type: 'cash' },
        { id: newId(), name: 'Card', type: 'card' },
        { id: newId(), name: 'QR', type: 'qr' },
      ] as const;
      await tx.paymentMethod.createMany({ data: methods.map((method) => ({ locationId, ...method })) });
      const products = await seedCatalog(tx, locationId);
      await seedHistory(tx, locationId, products, [...methods], now);
      // The file first: a key whose text nobody has would be of no use.
      const { key, hash, prefix } = newApiKey();
      await keep(keyFile, key);
      await tx.apiKey.create({
        data: {
          locationId,
          id: newId(),
          name: demoKeyName,
          prefix,
          keyHash: new Uint8Array(hash),
          permissions: ['*'],
        },
      });
    },
    { timeout: 60_000, maxWait: 10_000 },
  );
}

async function demoKey(database: Database, file: string): Promise<string | undefined> {
  const known = await database.prisma.apiKey.findMany({
    where: { name: demoKeyName, location: { name: demoLocationName } },
    orderBy: { createdAt: 'asc' },
  });
  const [first] = known;
  if (first === undefined) return undefined;
  const text = await readFile(file, 'utf8').then(
    (content) => content.trim(),
    () => undefined,
  );
  const hash = text === undefined ? undefined : parseApiKey(text);
  const current = known.find((row) => row.revokedAt === null && hash?.equals(row.keyHash));
  if (text !== undefined && current !== undefined) return text;
  for (const row of known) if (row.revokedAt === null) await revokeKey(database, row.id);
  const { key } = await issueKey(database, {
    name: demoKeyName,
    permissions: ['*'],
    location_id: first.locationId,
  });
  await keep(file, key);
  return key;
}

async function keep(file: string, key: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await rm(file, { force: true });
  await writeFile(file, `${key}\n`, { mode: 0o600 });
}
