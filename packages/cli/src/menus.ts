import { repeatingRaces } from '@comanda/api/src/call/races.ts';
import { beginningAt } from '@comanda/api/src/call/writing.ts';
import { ApiError, invalid } from '@comanda/api/src/errors.ts';
import { chosenLocation } from '@comanda/api/src/resources/locations/store.ts';
import { type MenuCopied, mostListed } from '@comanda/api/src/resources/menus/copy.schema.ts';
import { copyIn, foreseeCopy, readSource } from '@comanda/api/src/resources/menus/copy.store.ts';
import type { Work } from './command.ts';
import { rows } from './rows.ts';

type Copied = MenuCopied & { dry_run: boolean };

/** `comanda menus copy` */
export const copyMenu: Work = {
  run: ({ database }, { from: source, to: target, seen, 'dry-run': dryRun }): Promise<Copied> =>
    namingOptions(async () => {
      const from = await namedLocation('from', () => chosenLocation(database, source));
      const to = await namedLocation('to', () => chosenLocation(database, target));
      if (dryRun !== undefined) return { dry_run: true, ...(await foreseeCopy(database, { from, to })) };
      const places = { from, to, source: await readSource(database, from) };
      const actor = { kind: 'command_line' as const, locationId: to.id };
      const copied = await repeatingRaces(() =>
        database.transaction(beginningAt(to.id), (tx) => copyIn(tx, actor, places, seen)),
      );
      return { dry_run: false, ...copied };
    }),
  show(value) {
    const { dry_run, from, to, created, updated, unchanged, kept, changes, seen } = value as Copied;
    const left = created + updated - changes.length;
    return [
      ...rows(changes, {
        ACTION: ({ action }) => action,
        TYPE: ({ type }) => type,
        NAME: ({ names }) => names.join(' > '),
        'FOUND BY': ({ matched_by }) => matched_by ?? '-',
        CHANGES: ({ changes: fields }) => fields.map(changeText).join(', '),
      }),
      ...(left > 0 ? [`and ${left} more: the first ${mostListed} are listed`] : []),
      '',
      `from ${from.name} to ${to.name}: ${created} created, ${updated} updated, ${unchanged} unchanged, ${kept} only at ${to.name}`,
      dry_run ? `nothing was written; --seen ${seen} copies this difference and no other` : 'copied',
    ];
  },
};

type Change = MenuCopied['changes'][number]['changes'][number];

function changeText({ field, before, after }: Change): string {
  const was = before === undefined || before === null ? '' : `${JSON.stringify(before)} → `;
  return `${field}: ${was}${JSON.stringify(after)}`;
}

const namedLocation = <Found>(option: string, find: () => Promise<Found>): Promise<Found> =>
  renaming(find, 'location', option);

/** The API reads the other location by a key, the command line by its option. */
const namingOptions = <Value>(work: () => Promise<Value>): Promise<Value> =>
  renaming(work, 'from_key', 'from');

async function renaming<Value>(work: () => Promise<Value>, path: string, option: string): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ApiError) || !error.fields.some((fault) => fault.path === path)) throw error;
    throw invalid(error.fields.map((fault) => (fault.path === path ? { ...fault, path: option } : fault)));
  }
}
