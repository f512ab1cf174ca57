import { askServer, enteredSession } from './entrance.ts';
import { numberFault } from './numbers.ts';

/** What the edits of Prisma's page call (scripts/studio/bundle.ts), and what it looks for itself. */
interface Hooks {
  comandaFetch: typeof askServer;
  /** The address of the row's order at the desk, which knows its way back. */
  comandaDesk(column: { table: string; name: string }, row: Record<string, unknown>): string | undefined;
  /** Why rows of a table are not deleted, and what to do instead. */
  comandaKept(table: string): string | undefined;
  comandaNumber: typeof numberFault;
  /** Keeps the page from announcing each start to its makers, which the policy would refuse anyway. */
  __PDPCP__: true;
  __STUDIO_CONFIG__: { adapter: 'postgres' };
}

const { title, desk, deskLinks, kept } = await enteredSession();
document.title = title;
const hooks: Hooks = {
  comandaFetch: askServer,
  comandaDesk(column, row) {
    const id = row[deskLinks[`${column.table}.${column.name}`] ?? ''];
    return desk !== null && id ? `${desk}/orders/${id}#studio=${location.port}` : undefined;
  },
  comandaKept: (table) => kept[table],
  comandaNumber: numberFault,
  __PDPCP__: true,
  __STUDIO_CONFIG__: { adapter: 'postgres' },
};
Object.assign(window, hooks);
const script = document.createElement('script');
script.type = 'module';
script.src = '/studio.js';
document.body.append(script);
