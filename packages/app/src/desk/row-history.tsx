import { type Texts, useTexts } from '../frame/language.tsx';
import { AuditEntries } from './audit-entries.tsx';

const texts: Texts<{ caption: string }> = {
  en: { caption: 'History of changes' },
  es: { caption: 'Qué se cambió, y quién' },
};

/** The history of a product, a category or an option: its changes by programs, by jobs, at the app and by hand, newest first. */
export function RowHistory({ id }: { id: string }) {
  const { caption } = useTexts(texts);
  return <AuditEntries caption={caption} wanted={{ about: id }} />;
}
