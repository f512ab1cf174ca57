import { useTexts } from '../frame/language.tsx';
import { deskTexts } from './texts.ts';

const keptAs = 'comanda.studio';

/** The port of the Studio that one came from (`#studio=5556`, extras/studio/src/desk-links.ts), which the tab keeps; else Studio's usual one. */
function portOfStudio(): string {
  const given = /^#studio=(\d{1,5})$/.exec(location.hash)?.[1];
  if (given !== undefined) sessionStorage.setItem(keptAs, given);
  return given ?? sessionStorage.getItem(keptAs) ?? '5555';
}

/** The same row in Studio, which listens on its own machine alone: shown where the app is opened there, too. */
export function StudioLink({ table, id }: { table: string; id: string }) {
  const texts = useTexts(deskTexts);
  if (!/^(localhost|127\.0\.0\.1|\[::1\])$/.test(location.hostname)) return null;
  // As Studio itself writes a filter into its address.
  const wanted = { kind: 'ColumnFilter', id: 'c0', column: 'id', operator: '=', value: id, after: 'and' };
  const filter = { kind: 'FilterGroup', id: 'g', after: 'and', filters: [wanted] };
  const place = `schema=public&table=${table}&filter=${encodeURIComponent(JSON.stringify(filter))}`;
  return (
    <a href={`http://127.0.0.1:${portOfStudio()}/#${place}`} target="_blank" rel="noreferrer">
      {texts.inStudio}
    </a>
  );
}
