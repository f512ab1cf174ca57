import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../../packages/db/src/root.ts';

/** The version of the package `prisma` whose Studio is served. With another one, look at each edit again. */
export const holdsFor = '7.10.0';

/** A place in Prisma's minified page, and what stands there instead. */
export interface BundleEdit {
  /** What an admin gets by it. */
  gives: string;
  /** Stands there exactly once. */
  find: string;
  put: string;
}

/** Everything that is changed in Prisma's page. */
export const bundleEdits: readonly BundleEdit[] = [
  {
    gives: 'a refusal shows the sentence of the database, long enough to be read',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it stands so in the page
    find: 'OU.error(`"${yn.operation}" operation failed`,{',
    put: 'OU.error(yn.error.message,{duration:20000,',
  },
  {
    gives: 'columns stand as the server sends them, not by the alphabet',
    find: 'function Wet(t,r){',
    put: 'function Wet(t,r){return 0;',
  },
  {
    gives: 'the newest rows come first: their ids rise with time',
    find: '.map(r=>({column:r.name,direction:"asc"}))',
    put: '.map(r=>({column:r.name,direction:"desc"}))',
  },
  {
    // What edits and deletes asked for the same page without the search, and each of the two aborted the other.
    gives: 'a search in the address finds',
    find: '{metadata:{activeTable:N}}=Gp(),M=N?',
    put: '{metadata:{activeTable:N},searchParam:searched}=Gp(),M=(i??=searched?.trim()||void 0,N)?',
  },
  {
    gives: 'an edit keeps the search: else the grid shows other rows under the cursor',
    find: '(0,ck.useEffect)(()=>{i&&v()},[v,i]),',
    put: '',
  },
  {
    gives: 'an arrow in a column for which no editor opens: of views, and where Studio only reads',
    find: 'an.isAutoincrement||an.isComputed?',
    put: '!an.fkTable&&(an.isAutoincrement||an.isComputed)?',
  },
  {
    gives: 'a row of an order leads to it at the desk, in a tab that is used again: it stays signed in there',
    find: 'function hCn(t){',
    put: 'function atDesk(column,row){let href=window.comandaDesk?.(column,row),stop=each=>each.stopPropagation();return href&&(0,Ane.jsx)("a",{href,target:"comanda-desk",title:"Open at the desk",className:"shrink-0 underline",onMouseDown:stop,onClick:stop,children:"desk"})}function hCn(t){let desk=atDesk(t.column,t.cell.row.original);if(desk)return desk;',
  },
  {
    gives: 'so does one in a column for which no editor opens',
    find: 'withContextMenu:!1,children:_2e({cell:Mr,column:an,searchTerm:I})})',
    put: 'withContextMenu:!1,children:(desk=>{let shown=_2e({cell:Mr,column:an,searchTerm:I});return desk?(0,fo.jsxs)("div",{className:"flex w-full min-w-0 items-center justify-between gap-2",children:[(0,fo.jsx)("div",{className:"min-w-0 flex-1 truncate",children:shown}),desk]}):shown})(atDesk(an,xf))})',
  },
  {
    gives: 'a mark that is taken away is false, and empty only where the column may be empty',
    find: 'I(q=>!x&&q===!0?"indeterminate":!q)',
    put: 'I(q=>r.nullable&&q===!0?"indeterminate":!q)',
  },
  {
    gives: 'an empty grid does not say that the table is empty',
    find: `"It doesn't look like you have any data in this table."`,
    put: '"Nothing matches the filter and the search, or the query failed."',
  },
  {
    gives: 'before an edit is saved one reads what changes',
    find: 'Qu=lii(Tg)',
    put: 'Qu=lii(Tg)+gn.flatMap(({row,changes})=>Object.entries(changes).map(([k,v])=>" "+(row.number??row.name??"")+" "+k+": "+(JSON.stringify(row[k])??"NULL")+" → "+JSON.stringify(v)+".")).join("")',
  },
  {
    gives: 'before a deletion one reads that more goes with it, and how it comes back',
    find: 'function Qri(t){return',
    put: 'function Qri(t){return"What belongs to it goes with it; comanda audit undo brings it back. "+',
  },
];

/**
 * Prisma's page with every edit made: its script and its styles.
 * @throws {Error} the package is of another version, or an edit does not find its place.
 */
export function readBundle(home = join(repositoryRoot, 'node_modules/prisma')): {
  script: string;
  styles: string;
} {
  const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as { version: string };
  if (version !== holdsFor)
    throw new Error(
      `scripts/studio/bundle.ts holds for prisma ${holdsFor}, and this is ${version}: look at its edits again`,
    );
  const read = (name: string) => readFileSync(join(home, 'build', name), 'utf8');
  return { script: edited(read('studio.js')), styles: read('studio.css') };
}

/** @throws {Error} one of the edits has no place, or several. */
export function edited(script: string): string {
  return bundleEdits.reduce((text, { gives, find, put }) => {
    const parts = text.split(find);
    if (parts.length !== 2)
      throw new Error(
        `Prisma's page has ${parts.length - 1} places for "${gives}": look at scripts/studio/bundle.ts`,
      );
    return parts.join(put);
  }, script);
}
