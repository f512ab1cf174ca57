import { askServer, enteredSession } from './entrance.ts';
import { numberFault } from './numbers.ts';

/** What the edits of Prisma's page call (scripts/studio/bundle.ts), and what it looks for itself. */
interface Hooks {
  comandaFetch: typeof askServer;
  /** The address of the row's order at the desk, which knows its way back. */
  comandaDesk(column: { table: string; name: string }, row: Record<string, unknown>): string | undefined;
  /** Why rows of a table are not deleted, and what to do instead. */
  comandaKept(table: string): string | undefined;
  /** The location of a row, and what names it there, for the sentence that asks before an edit is saved. */
  comandaRow(table: string, row: Record<string, unknown>): string;
  comandaNumber: typeof numberFault;
  /** Keeps the page from announcing each start to its makers, which the policy would refuse anyway. */
  __PDPCP__: true;
  __STUDIO_CONFIG__: { adapter: 'postgres' };
}

const { title, desk, deskLinks, kept, locations } = await enteredSession();
document.title = title;
const hooks: Hooks = {
  comandaFetch: askServer,
  comandaDesk(column, row) {
    const id = row[deskLinks[`${column.table}.${column.name}`] ?? ''];
    return desk !== null && id ? `${desk}/orders/${id}#studio=${location.port}` : undefined;
  },
  comandaKept: (table) => kept[table],
  comandaRow(table, row) {
    const place = table === 'locations' ? row.id : row.location_id;
    const named = table === 'locations' ? undefined : (row.number ?? row.name ?? row.id);
    return [locations[String(place)] ?? place, table, named].filter((part) => part !== undefined).join(' · ');
  },
  comandaNumber: numberFault,
  __PDPCP__: true,
  __STUDIO_CONFIG__: { adapter: 'postgres' },
};
Object.assign(window, hooks);
const script = document.createElement('script');
script.type = 'module';
script.src = '/studio.js';
document.body.append(script);
