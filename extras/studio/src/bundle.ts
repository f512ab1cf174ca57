import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@comanda/db';
import { build } from 'esbuild';

/** The version of the package `prisma` whose Studio is served. With another one, look at each edit again. */
export const holdsFor = '7.10.0';

/** A place in Prisma's minified page, and its replacement. */
export interface BundleEdit {
  /** The benefit for an admin. */
  gives: string;
  /** Occurs exactly once. */
  find: string;
  put: string;
}

/** Everything that is changed in Prisma's page. */
export const bundleEdits: readonly BundleEdit[] = [
  {
    gives: 'a refusal shows the sentence of the database, long enough to be read',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the page has this text
    find: 'OU.error(`"${yn.operation}" operation failed`,{',
    put: 'OU.error(yn.error.message,{duration:20000,',
  },
  {
    gives: 'columns are in the order of the server, not in alphabetical order',
    find: 'function Wet(t,r){',
    put: 'function Wet(t,r){return 0;',
  },
  {
    gives: 'the newest rows come first: their ids rise with time',
    find: '.map(r=>({column:r.name,direction:"asc"}))',
    put: '.map(r=>({column:r.name,direction:"desc"}))',
  },
  {
    // Edits and deletes also asked for the same page without the search, and each of the two aborted the other.
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
    gives: 'the page knows which columns never change in a row that is there',
    find: 'isAutoincrement:M,isComputed:A,isRequired:!L&&!M&&!A&&R==null,name:_',
    put: 'isAutoincrement:M,isComputed:A,isFixed:N.fixed,isRequired:!L&&!M&&!A&&R==null,name:_',
  },
  {
    gives: 'an arrow in a column for which no editor opens: of views, and where Studio only reads',
    find: 'an.isAutoincrement||an.isComputed?',
    put: '!an.fkTable&&(an.isAutoincrement||an.isComputed||an.isFixed)?',
  },
  {
    gives: 'no editor opens in a cell that never changes',
    find: 'isEditorOpen:DC,linkComponent:',
    put: 'isEditorOpen:DC&&!an.isComputed&&!an.isFixed,linkComponent:',
  },
  {
    gives: 'nothing is pasted into one',
    find: 'return aa?V5n(aa,lp):!1',
    put: 'return aa?V5n(aa,lp||aa.isFixed):!1',
  },
  {
    gives: 'a filter is of a column, never SQL',
    find: 'function oun(t){',
    put: 'function oun(t){return!1;',
  },
  {
    // Each column that leads there is one for which no editor opens (desk-links.ts).
    gives: 'a row of an order leads to it at the desk, in a tab that is used again: it stays signed in there',
    find: 'withContextMenu:!1,children:_2e({cell:Mr,column:an,searchTerm:I})})',
    put: 'withContextMenu:!1,children:((shown,href,stop)=>href?(0,fo.jsxs)("div",{className:"flex w-full min-w-0 items-center justify-between gap-2",children:[(0,fo.jsx)("div",{className:"min-w-0 flex-1 truncate",children:shown}),(0,fo.jsx)("a",{href,target:"comanda-desk",title:"Open at the desk",className:"shrink-0 underline",onMouseDown:stop,onClick:stop,children:"desk"})]}):shown)(_2e({cell:Mr,column:an,searchTerm:I}),window.comandaDesk(an,xf),each=>each.stopPropagation())})',
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
    gives: 'an empty cell of a number begins empty, not as 0',
    find: 'k=p==null?x&&!v?String(Nee):"":String(p),N=i==="insert"&&w!=null?void 0:x&&!v?0:null',
    put: 'k=p==null?"":String(p),N=i==="insert"&&w!=null?void 0:null',
  },
  {
    gives: 'what is no number is refused at once, and an emptied cell is not saved as 0',
    find: 'onSave:()=>(!A&&x&&!v?String(Nee):A)!==k?(l(A===""?N:Number(A)),!0):!1',
    put: 'onSave:()=>{if(A.trim()===k)return!1;let fault=window.comandaNumber(r.name,A,r.nullable||N===void 0);return fault?(OU.error(fault,{duration:20000}),!1):(l(A.trim()===""?N:Number(A)),!0)}',
  },
  {
    gives: 'so is what is pasted over several cells',
    find: 'DC=zYe(Fd,"=",aa.value);if(!Sv)',
    put: 'DC=zYe(Fd,"=",aa.value),fault=Fd.datatype.group==="numeric"&&!Fd.datatype.isArray&&window.comandaNumber(Fd.name,aa.value,Fd.nullable);if(fault){OU.error(fault,{duration:20000});continue}if(!Sv)',
  },
  {
    gives: 'a new row whose number was not written is refused, not saved with 0',
    find: 'M==="numeric"?{...p,[k]:Nee}',
    put: 'M==="numeric"?p',
  },
  {
    gives: 'rows that are never deleted have no button for it, but say what to do instead',
    find: 'Ve&&gi>0&&(0,fo.jsx)(Io,{variant:"secondary",size:"sm",onClick:()=>ci(!0),children:La})',
    put: 'Ve&&gi>0&&(window.comandaKept(c.name)?(0,fo.jsx)("span",{className:"text-sm",children:window.comandaKept(c.name)}):(0,fo.jsx)(Io,{variant:"secondary",size:"sm",onClick:()=>ci(!0),children:La}))',
  },
  {
    gives: 'an edit carries the values that the grid showed, so that a change by another person is noticed',
    find: 'function Hze(t,r){',
    put: 'function Hze(t,r){return{...updateOf(t,r),seen:Object.fromEntries(Object.keys(t.changes).map(k=>[k,t.row[k]??null]))}}function updateOf(t,r){',
  },
  {
    gives: 'before rows are written one reads which, of which restaurant, and what changes',
    find: 'Qu=lii(Tg)',
    put: 'Qu=lii(Tg)+sn.map(row=>" "+window.comandaRow(c.name,row)+": new.").join("")+gn.flatMap(({row:was,rowId,changes})=>{let row=Rt.find(each=>String(each.__ps_rowid??"")===rowId)??was;return Object.entries(changes).map(([k,v])=>" "+window.comandaRow(c.name,row)+" "+k+": "+(JSON.stringify(row[k])??"NULL")+" → "+JSON.stringify(v)+".")}).join("")',
  },
  {
    gives: 'before a deletion one reads of which rows, that more goes with them, and how it comes back',
    find: 'vn=Qri(gi)',
    put: 'vn=Qri(gi)+" "+Rt.filter(row=>Tt[String(row.__ps_rowid??"")]).map(row=>window.comandaRow(c.name,row)+".").join(" ")+" Rows that belong to it are deleted with it; comanda audit undo restores them."',
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
      `extras/studio/src/bundle.ts holds for prisma ${holdsFor}, and this is ${version}: look at its edits again`,
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
        `Prisma's page has ${parts.length - 1} places for "${gives}": look at extras/studio/src/bundle.ts`,
      );
    return parts.join(put);
  }, script);
}

/** The script that lets a tab in, has what the edits call (extras/studio/src/page), and loads Prisma's from `studioScript`. */
export async function buildPage(studioScript: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(repositoryRoot, 'extras/studio/src/page/main.ts')],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    logLevel: 'silent',
    define: { studioScript: JSON.stringify(studioScript) },
  });
  return outputFiles.map(({ text }) => text).join('');
}
