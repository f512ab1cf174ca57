import type { ComandaClient, Grant } from '@comanda/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '../frame/address.tsx';
import { useComanda } from '../frame/comanda.tsx';
import { useGranted } from '../frame/granted.ts';
import { useTexts } from '../frame/language.tsx';
import { useRefusal } from '../frame/refusal.ts';
import { Unread } from '../frame/skeleton.tsx';
import { Deed } from './deed.tsx';
import { EditForm } from './edit-form.tsx';
import { severalIn } from './edit-input.tsx';
import { isOver, useKeyStatus } from './key-status.ts';
import { keyTexts } from './key-texts.ts';
import { permissionTexts } from './permission-texts.ts';
import { byResource, calledIn, coveredBy, leftOf } from './permissions-known.ts';
import { RotateKey } from './rotate-key.tsx';
import { deskTexts } from './texts.ts';
import { useWhen } from './when.ts';

type Key = Awaited<ReturnType<ComandaClient['keys']['get']['query']>>;

/** A key: what it may do, which may become less, and its end. */
export function KeyView({ id }: { id: string }) {
  const { comanda } = useComanda();
  const texts = useTexts(deskTexts);
  const own = useTexts(keyTexts);
  const say = useRefusal();
  const when = useWhen();
  const status = useKeyStatus();
  const { data, error } = useQuery({
    queryKey: ['key', id],
    queryFn: ({ signal }) => comanda.keys.get.query({ id }, { signal }),
  });
  const may = useGranted().may?.('keys:write') === true;
  if (data === undefined) return <Unread {...{ error, say }} />;
  const { name, prefix, created_at, last_used_at } = data;
  const facts = {
    [texts.status]: status(data),
    [own.begins]: `${prefix}…`,
    [own.made]: when(created_at),
    [texts.lastUsed]: last_used_at === undefined ? texts.never : when(last_used_at),
  };
  return (
    <article className="order" aria-label={name}>
      <h2>{name}</h2>
      <dl>
        {Object.entries(facts).map(([title, fact]) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>{fact}</dd>
          </div>
        ))}
      </dl>
      <Permissions {...data} isReadOnly={!may || data.revoked_at !== undefined} />
      {may && data.revoked_at === undefined && <KeyDeeds {...data} />}
      <p>
        <Link to="/app/desk/keys">{own.allKeys}</Link>
      </p>
    </article>
  );
}

/** The permissions of a key by their resources, each a box that can be emptied. */
function Permissions({ id, permissions, isReadOnly }: Key & { isReadOnly: boolean }) {
  const { comanda } = useComanda();
  const own = useTexts(keyTexts);
  const { resources, permissions: sentences } = useTexts(permissionTexts);
  const groups = byResource(coveredBy(permissions));
  const grantsNow = async () => (await comanda.keys.get.query({ id })).permissions;
  const known = (grants: readonly string[]) =>
    Object.fromEntries(byResource(coveredBy(grants)).map(([resource, names]) => [resource, names.join()]));
  return (
    <>
      <h3>{own.narrow}</h3>
      <EditForm<string>
        label={own.narrow}
        isReadOnly={isReadOnly}
        fields={groups.map(([resource, names]) => ({
          name: resource,
          label: calledIn(resources, resource),
          kind: {
            options: names.map((value) => ({ value, label: `${calledIn(sentences, value)} (${value})` })),
            several: true,
          },
        }))}
        known={known(permissions)}
        // A key has no tag.
        readNow={async () => known(await grantsNow())}
        save={async (changed, _, seen) => {
          const kept = Object.values({ ...seen, ...changed }).flatMap((names) => severalIn(names ?? ''));
          // Another session may have removed permissions of another resource meanwhile.
          return comanda.keys.narrow.mutate({
            id,
            permissions: leftOf(await grantsNow(), new Set(kept)) as Grant[],
          });
        }}
      />
      {!isReadOnly && <p className="quiet">{own.narrowMeans}</p>}
    </>
  );
}

/** Actions on a key as a whole. */
function KeyDeeds(key: Key) {
  const { comanda } = useComanda();
  const texts = useTexts(deskTexts);
  const own = useTexts(keyTexts);
  const { id, name, event_types } = key;
  return (
    <>
      {event_types === 'all' && (
        <>
          <p>{own.everyType}</p>
          <div className="deeds">
            <Deed
              label={own.byPermission}
              question={{ title: own.sureByPermission(name), text: own.byPermissionMeans }}
              act={() => comanda.keys.narrow.mutate({ id, event_types: 'by_permission' })}
            />
          </div>
        </>
      )}
      <div className="deeds">
        {!isOver(key) && !name.startsWith('app: ') && <RotateKey {...{ id, name }} />}
        <Deed
          label={texts.revoke}
          of={name}
          question={{ title: texts.sureToRevoke(name), text: texts.revokeMeans }}
          act={() => comanda.keys.revoke.mutate({ id })}
        />
      </div>
    </>
  );
}
