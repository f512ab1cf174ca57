import { demoNames, exampleIds } from '@comanda/api/services';
import { newId } from '@comanda/db';

const known = new Map(
  Object.entries(demoNames).map(([thing, name]) => [
    name as string,
    exampleIds[thing as keyof typeof demoNames] as string,
  ]),
);

/** The id of what the demo data calls `name`: that of the documents' examples where they speak of it, else a new one. */
export const idOf = (name: string, now?: number): string => known.get(name) ?? newId(now);
