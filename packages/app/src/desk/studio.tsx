import { useTexts } from '../frame/language.tsx';
import { deskTexts } from './texts.ts';

/** The same row in Studio, which listens on its own machine alone: shown where the app is opened there, too. */
export function StudioLink({ table, id }: { table: string; id: string }) {
  const texts = useTexts(deskTexts);
  if (!/^(localhost|127\.0\.0\.1|\[::1\])$/.test(location.hostname)) return null;
  // As Studio itself writes a filter into its address.
  const wanted = { kind: 'ColumnFilter', id: 'c0', column: 'id', operator: '=', value: id, after: 'and' };
  const filter = { kind: 'FilterGroup', id: 'g', after: 'and', filters: [wanted] };
  const place = `schema=public&table=${table}&filter=${encodeURIComponent(JSON.stringify(filter))}`;
  return (
    <a href={`http://127.0.0.1:5555/#${place}`} target="_blank" rel="noreferrer">
      {texts.inStudio}
    </a>
  );
}
