import { type Diagnosis, diagnose } from '@comanda/api/src/doctor/doctor.ts';
import { retrySetAside } from '@comanda/api/src/doctor/statements.ts';
import { Id } from '@comanda/api/src/wire.ts';
import type { Work } from '../command.ts';
import { parse } from '../input.ts';
import { withProgress } from '../progress.ts';
import { report } from './report.ts';

/** `comanda doctor` */
export const doctor: Work = {
  runAlone: (environment, { location, ...flags }) =>
    withProgress((onProgress) =>
      diagnose(environment, {
        ...(location !== undefined && { location: parse(Id, location) }),
        deep: flags.deep !== undefined,
        ...(flags.repair !== undefined && { repair: 'repair' }),
        ...(flags['dry-run'] !== undefined && { repair: 'dry run' }),
        onProgress,
      }),
    ),
  show: report,
  isFailure: (value) => ['wrong', 'unknown'].includes((value as Diagnosis).outcome),
};

/** `comanda relay retry` */
export const retryRelay: Work = {
  run: async ({ database }) => ({ retried: (await database.run(retrySetAside, []))[0]?.count ?? 0 }),
};
