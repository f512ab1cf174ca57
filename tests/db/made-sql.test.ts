import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isMade, madeFolder, readMade } from '../../scripts/migration/made.ts';
import { useTestDatabase } from '../support/database.ts';

const own = useTestDatabase();

it('prisma/sql/made is what packages/db/src/tables makes of it: else run npm run migration', async () => {
  const files = await readMade(own.url);
  expect(readdirSync(madeFolder).filter(isMade).toSorted()).toEqual([...files.keys()].toSorted());
  for (const [name, text] of files) expect(readFileSync(join(madeFolder, name), 'utf8'), name).toBe(text);
});
