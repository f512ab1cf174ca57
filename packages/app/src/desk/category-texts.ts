import type { Texts } from '../frame/language.tsx';

const en = {
  priority: 'Place (lower comes first)',
  shown: 'Shown on the menu',
  allCategories: 'All categories',
  make: 'New category',
  delete: 'Delete',
  sureToDelete: (name: string) => `Delete the category ${name}?`,
  deleteMeans: 'Its products stay, without this category. The history keeps who deleted it.',
  deleted: 'It was deleted.',
  changePrices: 'Change all prices',
  how: 'By',
  percent: 'a percentage',
  amount: 'an amount',
  by: 'How much (less with −)',
  preview: 'Show the difference',
  difference: 'Prices before and after',
  before: 'Before',
  after: 'After',
  write: 'Write these prices',
  written: (count: number) => (count === 1 ? '1 price was changed.' : `${count} prices were changed.`),
};

const es: typeof en = {
  priority: 'Lugar (el menor va primero)',
  shown: 'Visible en el menú',
  allCategories: 'Todas las categorías',
  make: 'Nueva categoría',
  delete: 'Eliminar',
  sureToDelete: (name) => `¿Eliminar la categoría ${name}?`,
  deleteMeans: 'Sus productos quedan, sin esta categoría. El historial guarda quién la eliminó.',
  deleted: 'Se eliminó.',
  changePrices: 'Cambiar todos los precios',
  how: 'En',
  percent: 'un porcentaje',
  amount: 'un importe',
  by: 'Cuánto (menos con −)',
  preview: 'Mostrar la diferencia',
  difference: 'Precios antes y después',
  before: 'Antes',
  after: 'Después',
  write: 'Escribir estos precios',
  written: (count) => (count === 1 ? 'Se cambió 1 precio.' : `Se cambiaron ${count} precios.`),
};

/** The texts of categories. */
export const categoryTexts: Texts<typeof en> = { en, es };
