import { Link } from '../frame/address.tsx';
import { useComanda } from '../frame/comanda.tsx';
import { useTexts } from '../frame/language.tsx';
import { CategoryView } from './category.tsx';
import { categoryTexts } from './category-texts.ts';
import { editTexts } from './edit-texts.ts';
import { Listing } from './listing.tsx';
import { usePages } from './pages.ts';
import { useRowIn } from './row-path.ts';
import { deskTexts } from './texts.ts';

const base = '/app/desk/categories';

/** The categories in the order of the menu, and the one that the address names. */
export function Categories() {
  const id = useRowIn(base);
  return id === '' ? <CategoryList /> : <CategoryView key={id} id={id} />;
}

function CategoryList() {
  const { comanda } = useComanda();
  const texts = useTexts(deskTexts);
  const own = useTexts(categoryTexts);
  const onOff = useTexts(editTexts);
  const rows = usePages(['categories', 'desk'], (offset, signal) =>
    comanda.categories.list.query({ limit: 50, offset }, { signal }),
  );
  return (
    <Listing
      caption={texts.parts.categories}
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        { title: texts.name, cell: ({ id, name }) => <Link to={`${base}/${id}`}>{name}</Link> },
        { title: own.priority, cell: ({ priority }) => priority },
        { title: own.shown, cell: ({ visible }) => (visible ? onOff.yes : onOff.no) },
        { title: texts.externalId, cell: ({ external_id }) => external_id },
      ]}
    />
  );
}
