import { askServer, enteredSession } from './entrance.ts';
import { numberFault } from './numbers.ts';

/** The functions that the edits of Prisma's page call (extras/studio/src/bundle.ts), and the look-ups of our own. */
interface Hooks {
  /** The address of the row's order at the desk, which knows its way back. */
  comandaDesk(column: { table: string; name: string }, row: Record<string, unknown>): string | undefined;
  /** Why rows of a table are not deleted, and what to do instead. */
  comandaKept(table: string): string | undefined;
  /** The location of a row, and what names it there, for the sentence that asks before a row is written or deleted. */
  comandaRow(table: string, row: Record<string, unknown>): string;
  comandaNumber: typeof numberFault;
  /** Keeps the page from announcing each start to its makers, which the policy would refuse anyway. */
  __PDPCP__: true;
  __STUDIO_CONFIG__: { adapter: 'postgres' };
}

/** The address of Prisma's script (buildPage). */
declare const studioScript: string;

const { title, desk, deskLinks, kept, locations, only, rowNames } = await enteredSession();
document.title = title;
const hooks: Hooks = {
  comandaDesk(column, row) {
    const id = row[deskLinks[`${column.table}.${column.name}`] ?? ''];
    return desk !== null && id ? `${desk}/orders/${id}#studio=${location.port}` : undefined;
  },
  comandaKept: (table) => kept[table],
  comandaRow(table, row) {
    const place =
      row.restaurant ?? locations[String(table === 'locations' ? row.id : row.location_id)] ?? only;
    const { own = null, linked = [] } = rowNames[table] ?? {};
    const others = linked.map((column) => row[column] && `${column.replaceAll('_', ' ')} ${row[column]}`);
    const named = [...others, table !== 'locations' && own !== null && row[own]].filter(Boolean);
    return [place, table, ...(named.length > 0 || table === 'locations' ? named : [row.id])]
      .filter(Boolean)
      .join(' · ');
  },
  comandaNumber: numberFault,
  __PDPCP__: true,
  __STUDIO_CONFIG__: { adapter: 'postgres' },
};
Object.assign(window, hooks);
// The page asks as a tab that was admitted; its telemetry is not sent anywhere.
const send = window.fetch;
window.fetch = (to, init) => {
  if (to === '/bff') return askServer('/bff', init);
  return to === '/telemetry' ? Promise.resolve(new Response(null, { status: 204 })) : send(to, init);
};
// An address that asks for SQL shows the tables; the page's own styles hide what leads there (server.ts). The server refuses it anyway.
const withoutSql = () => {
  const hash = location.hash.replace(/\bview=sql\b/, 'view=table');
  if (hash !== location.hash) history.replaceState(null, '', hash);
};
addEventListener('hashchange', withoutSql);
withoutSql();
const script = document.createElement('script');
script.type = 'module';
script.src = studioScript;
document.body.append(script);
