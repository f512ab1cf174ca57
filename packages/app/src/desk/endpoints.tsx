import { Link } from '../frame/address.tsx';
import { useComanda } from '../frame/comanda.tsx';
import { useGranted } from '../frame/granted.ts';
import { useTexts } from '../frame/language.tsx';
import { useShownOnce } from '../frame/once.ts';
import { Deed } from './deed.tsx';
import { EndpointView, FailureReason } from './endpoint.tsx';
import { Listing } from './listing.tsx';
import { usePages } from './pages.ts';
import { Replay } from './replay.tsx';
import { useRowIn } from './row-path.ts';
import { deskTexts } from './texts.ts';
import { useWhen } from './when.ts';

const base = '/app/desk/endpoints';

/** The webhook endpoints, and the one that the address names. */
export function Endpoints() {
  const id = useRowIn(base);
  return id === '' ? <EndpointList /> : <EndpointView key={id} id={id} />;
}

/** How they are and why they fail, another secret, and what they missed sent again. */
function EndpointList() {
  const { comanda } = useComanda();
  const texts = useTexts(deskTexts);
  const when = useWhen();
  const may = useGranted().may?.('webhooks:write');
  const { show } = useShownOnce();
  const rows = usePages(['endpoints'], (offset, signal) =>
    comanda.webhookEndpoints.list.query({ limit: 100, offset }, { signal }),
  );
  return (
    <Listing
      caption={texts.parts.endpoints}
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        { title: texts.endpoint, cell: ({ id, url }) => <Link to={`${base}/${id}`}>{url}</Link> },
        { title: texts.status, cell: ({ status }) => texts.statuses[status] },
        {
          title: texts.health,
          cell: ({ id, failing_since, dead_count }) => (
            <>
              <span className={failing_since === undefined ? 'delivered' : 'dead'}>
                {failing_since === undefined ? texts.well : texts.failingSince(when(failing_since))}
                {dead_count > 0 && ` · ${texts.dead(dead_count)}`}
              </span>
              {failing_since !== undefined && <FailureReason id={id} />}
            </>
          ),
        },
        {
          title: texts.lastDelivered,
          cell: ({ last_delivered_at }) => last_delivered_at && when(last_delivered_at),
        },
        {
          title: texts.deed,
          cell: ({ id, url, status }) =>
            may && (
              <div className="deeds">
                {status === 'active' && <Replay id={id} url={url} />}
                <Deed
                  label={texts.rotate}
                  of={url}
                  question={{ title: texts.sureToRotate, text: texts.rotateMeans }}
                  act={() => comanda.webhookEndpoints.rotateSecret.mutate({ id })}
                  onDone={({ secret }) => show({ kind: 'newSecret', of: url, text: secret })}
                />
              </div>
            ),
        },
      ]}
    />
  );
}
