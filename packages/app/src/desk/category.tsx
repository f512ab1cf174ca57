import { useQuery } from '@tanstack/react-query';
import { goTo, Link } from '../frame/address.tsx';
import { useComanda } from '../frame/comanda.tsx';
import { useGranted } from '../frame/granted.ts';
import { useTexts } from '../frame/language.tsx';
import { tagged } from '../frame/location.ts';
import { useNotify } from '../frame/notices.tsx';
import { useRefusal } from '../frame/refusal.ts';
import { Unread } from '../frame/skeleton.tsx';
import { useRowTitle } from '../frame/title.ts';
import { categoryTexts } from './category-texts.ts';
import { Deed } from './deed.tsx';
import { EditForm } from './edit-form.tsx';
import { numberIn } from './number-in.ts';
import { PriceChange } from './price-change.tsx';
import { RowHistory } from './row-history.tsx';
import { StudioLink } from './studio.tsx';
import { deskTexts } from './texts.ts';

/** A category: its fields, the prices of its products, and its history. */
export function CategoryView({ id }: { id: string }) {
  const { comanda } = useComanda();
  const texts = useTexts(deskTexts);
  const own = useTexts(categoryTexts);
  const say = useRefusal();
  const notify = useNotify();
  const { may } = useGranted();
  const { data, error } = useQuery({
    queryKey: ['category', id],
    queryFn: async ({ signal }) => tagged(await comanda.categories.get.query({ id }, { signal })),
  });
  useRowTitle(data?.name);
  if (data === undefined) return <Unread {...{ error, say }} />;
  const { name, priority, visible, etag } = data;
  return (
    <article className="order" aria-label={name}>
      <header>
        <h2>{name}</h2>
        <StudioLink table="categories" id={id} />
      </header>
      <EditForm
        label={name}
        isReadOnly={may?.('categories:write') !== true}
        etag={etag}
        fields={[
          { name: 'name', label: texts.name },
          { name: 'priority', label: own.priority, kind: 'whole' },
          { name: 'visible', label: own.shown, kind: 'check' },
        ]}
        known={{ name, priority: String(priority), visible: String(visible) }}
        save={({ priority: typed, visible: isVisible, ...changed }, expected) =>
          comanda.categories.update.mutate({
            id,
            ...changed,
            expected,
            ...(typed !== undefined && { priority: numberIn(typed) }),
            ...(isVisible !== undefined && { visible: isVisible === 'true' }),
          })
        }
      />
      {may?.('products:write') === true && <PriceChange id={id} />}
      {may?.('categories:write') === true && (
        <div className="deeds">
          <Deed
            label={own.delete}
            of={name}
            question={{ title: own.sureToDelete(name), text: own.deleteMeans }}
            act={() => comanda.categories.delete.mutate({ id, expected: etag })}
            onDone={() => {
              notify(name, own.deleted);
              goTo('/app/desk/categories');
            }}
          />
        </div>
      )}
      {may?.('audit:read') === true && <RowHistory id={id} />}
      <p>
        <Link to="/app/desk/categories">{own.allCategories}</Link>
      </p>
    </article>
  );
}
