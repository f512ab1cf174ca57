import { CodeCreate } from '../resources/app-codes/schema.ts';
import { issueCode } from '../resources/app-codes/store.ts';
import type { Work } from './command.ts';
import { number, parse } from './input.ts';

/** `comanda app code` */
export const createCode: Work = {
  run: async ({ database, settings: { host, port } }, { location, name, screens, hours }) => {
    const input = parse(CodeCreate, {
      ...{ name, location_id: location, hours: number(hours) },
      screens: screens?.split(',').map((part) => part.trim()),
    });
    const { code, location_id } = await issueCode(database, input);
    return {
      url: `http://${host}:${port}/app#code=${code}`,
      ...{ location_id, name: input.name, screens: input.screens, use_within_minutes: 10 },
      signed_in_for_hours: input.hours,
    };
  },
};
