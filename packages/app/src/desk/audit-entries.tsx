import { useComanda } from '../frame/comanda.tsx';
import { useTexts } from '../frame/language.tsx';
import { Time } from '../frame/time.tsx';
import { Sentence } from './audit-sentence.tsx';
import { auditTexts } from './audit-texts.ts';
import { Listing } from './listing.tsx';
import { usePages } from './pages.ts';
import { deskTexts } from './texts.ts';
import { Undo } from './undo.tsx';

interface Props {
  /** Names the table. */
  caption: string;
  /** Which entries: of a person or key, of a table, or those of one row; else of all people. */
  wanted: { by?: string; table?: string } | { about: string };
}

/** Entries of the audit as sentences, newest first; manual edits may be undone. */
export function AuditEntries({ caption, wanted }: Props) {
  const { comanda } = useComanda();
  const texts = useTexts(deskTexts);
  const { cannotUndo } = useTexts(auditTexts);
  const rows = usePages(['audit', wanted], (offset, signal) =>
    comanda.audit.list.query({ limit: 100, offset, ...wanted }, { signal }),
  );
  const about = 'about' in wanted ? wanted.about : undefined;
  return (
    <Listing
      caption={caption}
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        { title: texts.madeAt, cell: ({ created_at }) => <Time at={created_at} /> },
        { title: texts.what, cell: (entry) => <Sentence {...{ entry, about }} /> },
        {
          title: texts.undoNow,
          cell: (entry) =>
            entry.can_undo ? (
              <Undo entry={entry} />
            ) : (
              entry.cannot_undo !== undefined && (
                <span className="quiet">
                  {cannotUndo}: <span lang="en">{entry.cannot_undo}</span>
                </span>
              )
            ),
        },
      ]}
    />
  );
}
