import { Link } from '../frame/address.tsx';
import { useComanda } from '../frame/comanda.tsx';
import { EmptyState } from '../frame/empty.tsx';
import { useGranted } from '../frame/granted.ts';
import { useTexts } from '../frame/language.tsx';
import { Time } from '../frame/time.tsx';
import { EndpointView, Health } from './endpoint.tsx';
import { PauseDeed, RotateSecret } from './endpoint-deeds.tsx';
import { NewEndpoint } from './endpoint-form.tsx';
import { endpointTexts } from './endpoint-texts.ts';
import { Listing } from './listing.tsx';
import { usePages } from './pages.ts';
import { Replay } from './replay.tsx';
import { useRowIn } from './row-path.ts';
import { Status } from './status.tsx';
import { deskTexts } from './texts.ts';

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
  const own = useTexts(endpointTexts);
  const may = useGranted().may?.('webhooks:write');
  const rows = usePages(['endpoints'], (offset, signal) =>
    comanda.webhookEndpoints.list.query({ limit: 100, offset }, { signal }),
  );
  return (
    <>
      {may && <NewEndpoint />}
      <Listing
        caption={texts.parts.endpoints}
        rows={rows}
        empty={<EmptyState title={own.none}>{may && own.noneMeans}</EmptyState>}
        keyOf={({ id }) => id}
        columns={[
          { title: texts.endpoint, cell: ({ id, url }) => <Link to={`${base}/${id}`}>{url}</Link> },
          { title: texts.status, cell: ({ status }) => <Status of={status} /> },
          { title: texts.health, cell: (endpoint) => <Health {...endpoint} /> },
          {
            title: texts.lastDelivered,
            cell: ({ last_delivered_at }) => last_delivered_at && <Time at={last_delivered_at} />,
          },
          {
            title: texts.deed,
            cell: ({ id, url, status }) =>
              may && (
                <div className="deeds">
                  {status === 'active' && <Replay id={id} url={url} />}
                  <RotateSecret id={id} url={url} />
                  <PauseDeed {...{ id, url, status }} />
                </div>
              ),
          },
        ]}
      />
    </>
  );
}
