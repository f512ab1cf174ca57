import { useComanda } from '../frame/comanda.tsx';
import { useGranted } from '../frame/granted.ts';
import { useTexts } from '../frame/language.tsx';
import { useShownOnce } from '../frame/once.ts';
import { Deed } from './deed.tsx';
import { Listing } from './listing.tsx';
import { NewKey } from './new-key.tsx';
import { usePages } from './pages.ts';
import { deskTexts } from './texts.ts';
import { useWhen } from './when.ts';

/** The keys of the location: who they are for, what they may do, when they were last used. */
export function Keys() {
  const { comanda } = useComanda();
  const texts = useTexts(deskTexts);
  const when = useWhen();
  const may = useGranted().may?.('keys:write');
  const { show } = useShownOnce();
  const rows = usePages(['keys'], (offset, signal) =>
    comanda.keys.list.query({ limit: 100, offset }, { signal }),
  );
  return (
    <>
      {may && <NewKey onMade={(of, text) => show({ kind: 'newKey', of, text })} />}
      <Listing
        caption={texts.parts.keys}
        rows={rows}
        keyOf={({ id }) => id}
        columns={[
          { title: texts.name, cell: ({ name }) => name },
          { title: texts.permissions, cell: ({ permissions }) => permissions.join(', ') },
          {
            title: texts.lastUsed,
            cell: ({ last_used_at }) => (last_used_at === undefined ? texts.never : when(last_used_at)),
          },
          {
            title: texts.status,
            cell: ({ revoked_at, expires_at }) =>
              revoked_at !== undefined
                ? texts.revokedAt(when(revoked_at))
                : expires_at !== undefined
                  ? (Date.parse(expires_at) > Date.now() ? texts.endsAt : texts.endedAt)(when(expires_at))
                  : texts.inUse,
          },
          {
            title: texts.deed,
            cell: ({ id, name, revoked_at }) =>
              may &&
              revoked_at === undefined && (
                <Deed
                  label={texts.revoke}
                  of={name}
                  question={{ title: texts.sureToRevoke(name), text: texts.revokeMeans }}
                  act={() => comanda.keys.revoke.mutate({ id })}
                />
              ),
          },
        ]}
      />
    </>
  );
}
