import type { Texts } from '../frame/language.tsx';

const en = {
  link: 'Copy the menu of another restaurant',
  title: 'Copy the menu of another restaurant',
  means:
    'Categories, products, options and menus of the other restaurant are written here. A row that is here already is found by its external_id, SKU or name, and is changed. Nothing is deleted, and stock is not copied.',
  key: 'Key of the other restaurant',
  keyMeans: 'A key of that restaurant with catalog:read and menus:read. It is not kept.',
  preview: 'Show the difference',
  difference: 'Difference',
  summary: (from: string, to: string) => `From ${from} to ${to}:`,
  counts: (created: number, updated: number, unchanged: number, kept: number) =>
    `${created} new, ${updated} changed, ${unchanged} as they are, ${kept} only here.`,
  more: (count: number) => (count === 1 ? 'And 1 more.' : `And ${count} more.`),
  type: 'Kind',
  action: 'Is',
  foundBy: 'Found by',
  types: {
    category: 'category',
    product: 'product',
    subselection: 'choice',
    item: 'option',
    menu: 'menu',
  },
  actions: { created: 'new', updated: 'changed' },
  found: { external_id: 'external_id', sku: 'SKU', name: 'name' },
  write: 'Copy the menu',
  nothing: 'Everything is here already.',
  written: (created: number, updated: number) => `${created} new, ${updated} changed.`,
};

const es: typeof en = {
  link: 'Copiar el menú de otro restaurante',
  title: 'Copiar el menú de otro restaurante',
  means:
    'Las categorías, los productos, las opciones y los menús del otro restaurante se escriben aquí. Lo que ya está se busca por su external_id, SKU o nombre, y se cambia. No se elimina nada, y el stock no se copia.',
  key: 'Clave del otro restaurante',
  keyMeans: 'Una clave de ese restaurante con catalog:read y menus:read. No se guarda.',
  preview: 'Mostrar la diferencia',
  difference: 'Diferencia',
  summary: (from, to) => `De ${from} a ${to}:`,
  counts: (created, updated, unchanged, kept) =>
    `${created} nuevos, ${updated} cambiados, ${unchanged} como están, ${kept} solo aquí.`,
  more: (count) => (count === 1 ? 'Y 1 más.' : `Y ${count} más.`),
  type: 'Clase',
  action: 'Está',
  foundBy: 'Se encontró por',
  types: {
    category: 'categoría',
    product: 'producto',
    subselection: 'elección',
    item: 'opción',
    menu: 'menú',
  },
  actions: { created: 'nuevo', updated: 'cambiado' },
  found: { external_id: 'external_id', sku: 'SKU', name: 'nombre' },
  write: 'Copiar el menú',
  nothing: 'Todo está aquí ya.',
  written: (created, updated) => `${created} nuevos, ${updated} cambiados.`,
};

/** The texts of the copy of a menu. */
export const menuCopyTexts: Texts<typeof en> = { en, es };
