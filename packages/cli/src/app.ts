import { CodeCreate } from '@comanda/api/src/resources/app-codes/schema.ts';
import { issueCode } from '@comanda/api/src/resources/app-codes/store.ts';
import { localUrl, type Settings } from '@comanda/db';
import { embeddedServiceUrl } from '@comanda/embedded';
import type { Work } from './command.ts';
import { number, parse } from './input.ts';

/** `comanda app code` */
export const createCode: Work = {
  run: async ({ database, settings }, { location, name, screens, hours }) => {
    const input = parse(CodeCreate, {
      name,
      location_id: location,
      hours: number(hours),
      screens: screens?.split(',').map((part) => part.trim()),
    });
    const { code, location_id } = await issueCode(database, input);
    const running = runningAt(settings);
    return {
      url: `${running ?? localUrl(settings)}/app#code=${code}`,
      address: running === undefined ? 'guessed from HOST and PORT' : 'of the running service',
      location_id,
      name: input.name,
      screens: input.screens,
      use_within_minutes: 10,
      signed_in_for_hours: input.hours,
    };
  },
};

/** Where the service that runs on the data directory has said that it answers. With DATABASE_URL nothing says so. */
const runningAt = ({ databaseUrl, dataDir }: Settings): string | undefined =>
  databaseUrl === undefined ? (embeddedServiceUrl(dataDir) ?? undefined) : undefined;
