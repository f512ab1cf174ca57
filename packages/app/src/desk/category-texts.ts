import type { Texts } from '../frame/language.tsx';

const en = {
  priority: 'Place (lower comes first)',
  shown: 'Shown on the menu',
  allCategories: 'All categories',
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
