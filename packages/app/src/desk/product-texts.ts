import type { Texts } from '../frame/language.tsx';

const en = {
  all: 'all',
  text: 'Part of name, SKU or external id',
  find: 'Find products',
  none: 'Clear a filter, or bring products in by a file (CSV) or from your program.',
  category: 'Category',
  shown: 'On the menu',
  onMenu: 'shown',
  hidden: 'hidden',
  sku: 'SKU',
  price: 'Price',
  description: 'Description',
  categories: 'Categories',
  isVisible: 'Shown on the menu',
  details: 'Details',
  image: 'Image',
  imageUrl: 'Address of the image',
  stock: 'Stock',
  notCounted: 'not counted',
  soldOut: 'sold out',
  markSoldOut: 'Mark as sold out',
  isCounted: 'Stock is counted',
  quantity: 'Left',
  alarm: 'Low from',
  allProducts: 'All products',
  unsold: 'Cannot be ordered',
  needsMore: (choice: string, needed: number, selectable: number) =>
    `“${choice}” needs at least ${needed}, and its options allow at most ${selectable}`,
  needsMoreNow: (choice: string, needed: number, selectable: number) =>
    `“${choice}” needs at least ${needed}, and its options that are shown and in stock allow at most ${selectable}`,
  andMore: (count: number) => `and ${count} more`,
};

const es: typeof en = {
  all: 'todos',
  text: 'Parte del nombre, SKU o id externo',
  find: 'Buscar productos',
  none: 'Quite un filtro, o traiga productos con un archivo (CSV) o desde su programa.',
  category: 'Categoría',
  shown: 'En el menú',
  onMenu: 'visible',
  hidden: 'oculto',
  sku: 'SKU',
  price: 'Precio',
  description: 'Descripción',
  categories: 'Categorías',
  isVisible: 'Visible en el menú',
  details: 'Datos',
  image: 'Imagen',
  imageUrl: 'Dirección de la imagen',
  stock: 'Stock',
  notCounted: 'sin contar',
  soldOut: 'agotado',
  markSoldOut: 'Marcar como agotado',
  isCounted: 'El stock se cuenta',
  quantity: 'Quedan',
  alarm: 'Poco desde',
  allProducts: 'Todos los productos',
  unsold: 'No se pueden pedir',
  needsMore: (choice, needed, selectable) =>
    `«${choice}» pide al menos ${needed} y sus opciones permiten a lo sumo ${selectable}`,
  needsMoreNow: (choice, needed, selectable) =>
    `«${choice}» pide al menos ${needed} y sus opciones visibles y con stock permiten a lo sumo ${selectable}`,
  andMore: (count) => `y ${count} más`,
};

/** The texts of products. */
export const productTexts: Texts<typeof en> = { en, es };
