import { Link } from '../frame/address.tsx';
import { Badge } from '../frame/badge.tsx';
import { useComanda } from '../frame/comanda.tsx';
import { useGranted } from '../frame/granted.ts';
import { useTexts } from '../frame/language.tsx';
import { CategoryView } from './category.tsx';
import { categoryTexts } from './category-texts.ts';
import { EditForm } from './edit-form.tsx';
import { editTexts } from './edit-texts.ts';
import { Listing } from './listing.tsx';
import { MenuCopy } from './menu-copy.tsx';
import { menuCopyTexts } from './menu-copy-texts.ts';
import { numberIn } from './number-in.ts';
import { usePages } from './pages.ts';
import { useRowIn } from './row-path.ts';
import { deskTexts } from './texts.ts';

const base = '/app/desk/categories';

/** The categories in the order of the menu, the one that the address names, or the copy of another restaurant's menu. */
export function Categories() {
  const id = useRowIn(base);
  if (id === 'copy') return <MenuCopy />;
  return id === '' ? <CategoryList /> : <CategoryView key={id} id={id} />;
}

function CategoryList() {
  const { comanda } = useComanda();
  const texts = useTexts(deskTexts);
  const own = useTexts(categoryTexts);
  const onOff = useTexts(editTexts);
  const copies = useTexts(menuCopyTexts);
  const { may: mayDo } = useGranted();
  const may = mayDo?.('categories:write') === true;
  const mayCopy = mayDo?.('menus:write') === true && mayDo('catalog:sync');
  const rows = usePages(['categories', 'desk'], (offset, signal) =>
    comanda.categories.list.query({ limit: 50, offset }, { signal }),
  );
  return (
    <>
      {mayCopy && (
        <p>
          <Link to={`${base}/copy`}>{copies.link}</Link>
        </p>
      )}
      {may && <NewCategory />}
      <Listing
        caption={texts.parts.categories}
        isTitled
        rows={rows}
        keyOf={({ id }) => id}
        columns={[
          { title: texts.name, cell: ({ id, name }) => <Link to={`${base}/${id}`}>{name}</Link> },
          { title: own.priority, isNumber: true, cell: ({ priority }) => priority },
          {
            title: own.shown,
            cell: ({ visible }) => (
              <Badge tone={visible ? 'good' : 'quiet'}>{visible ? onOff.yes : onOff.no}</Badge>
            ),
          },
          { title: texts.externalId, cell: ({ external_id }) => external_id },
        ]}
      />
    </>
  );
}

/** Makes a category, which is empty. */
function NewCategory() {
  const { comanda } = useComanda();
  const texts = useTexts(deskTexts);
  const own = useTexts(categoryTexts);
  return (
    <EditForm
      label={own.make}
      submit={own.make}
      isReadOnly={false}
      fields={[
        { name: 'name', label: texts.name },
        { name: 'priority', label: own.priority, kind: 'whole' },
        { name: 'visible', label: own.shown, kind: 'check' },
      ]}
      known={{ name: '', priority: '0', visible: 'true' }}
      save={({ name = '', priority = '0', visible = 'true' }) =>
        comanda.categories.create.mutate({
          name: name.trim(),
          priority: numberIn(priority),
          visible: visible === 'true',
        })
      }
    />
  );
}
