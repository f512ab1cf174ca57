import { Link } from '../frame/address.tsx';
import { useComanda } from '../frame/comanda.tsx';
import { useGranted } from '../frame/granted.ts';
import { useTexts } from '../frame/language.tsx';
import { useShownOnce } from '../frame/once.ts';
import { Time } from '../frame/time.tsx';
import { Deed } from './deed.tsx';
import { KeyView } from './key.tsx';
import { jobOf } from './key-presets.ts';
import { useKeyStatus } from './key-status.ts';
import { keyTexts } from './key-texts.ts';
import { Listing } from './listing.tsx';
import { NewKey } from './new-key.tsx';
import { usePages } from './pages.ts';
import { useRowIn } from './row-path.ts';
import { deskTexts } from './texts.ts';

const base = '/app/desk/keys';

/** The keys of the location, and the one that the address names. */
export function Keys() {
  const id = useRowIn(base);
  return id === '' ? <KeyList /> : <KeyView key={id} id={id} />;
}

/** Which keys there are: who they are for, what they may do, when they were last used. */
function KeyList() {
  const { comanda } = useComanda();
  const texts = useTexts(deskTexts);
  const status = useKeyStatus();
  const own = useTexts(keyTexts);
  const jobIn = (grants: readonly string[]) => {
    const job = jobOf(grants);
    return job && own.jobs[job];
  };
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
          { title: texts.name, cell: ({ id, name }) => <Link to={`${base}/${id}`}>{name}</Link> },
          {
            title: texts.permissions,
            cell: ({ permissions }) => jobIn(permissions) ?? permissions.join(', '),
          },
          {
            title: texts.lastUsed,
            cell: ({ last_used_at }) =>
              last_used_at === undefined ? texts.never : <Time at={last_used_at} />,
          },
          {
            title: texts.status,
            cell: (key) => status(key),
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
