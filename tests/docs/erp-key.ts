import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Grant } from '../../packages/api/src/permissions.ts';
import { repositoryRoot } from '../../packages/db/src/root.ts';

/** The permissions of an ERP's key, as the guide has them in one line. */
export function keyOfErp(): Grant[] {
  const guide = readFileSync(join(repositoryRoot, 'docs/guides/erp.md'), 'utf8');
  const [, line = ''] = /--permissions '([^']+)'/.exec(guide) ?? [];
  return line.split(',').map((name) => Grant.parse(name));
}
