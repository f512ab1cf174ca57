import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';

/** A new folder, which goes with the folder of the test run. */
export const makeTestFolder = (name: string): string => mkdtempSync(join(inject('runDirectory'), `${name}-`));
