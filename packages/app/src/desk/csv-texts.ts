import type { Texts } from '../frame/language.tsx';
import type { CsvProblem } from './csv-products.ts';

/** A sentence for a reason, of what it names. */
type Reasons = Record<CsvProblem['reason'], (what: string) => string>;

const en = {
  link: 'Products as a file (CSV)',
  title: 'Products as a file',
  download: 'Download all products',
  choose: 'File to read (CSV)',
  means:
    'Each line is a product, found by its id, else its external_id, else its sku. One that is not found is made. A column that the file does not have stays as it is, and so does an empty id, SKU, visibility or stock. Nothing is deleted.',
  reading: 'Reading…',
  tooLarge: 'The file is larger than 5 MB. Split it.',
  problems: 'The file is not taken: correct these and choose it again.',
  difference: 'Changes of this file',
  line: 'Line',
  column: 'Column',
  problem: 'Problem',
  makes: 'new',
  changes: 'changed',
  summary: (made: number, changed: number, same: number) =>
    `${made} new, ${changed} changed, ${same} as they are.`,
  write: 'Write these',
  progress: (done: number, all: number) => `${done} of ${all} written`,
  written: (count: number) => (count === 1 ? '1 product was written.' : `${count} products were written.`),
  notWritten: 'Not written',
  stop: 'Stop',
  stopped: 'Stopped before it.',
  isNow: (now: string) => `Someone else changed it meanwhile. Now there: ${now}`,
  rewritten: 'Identifiers to check',
  identifier: 'Identifier',
  isLike: (there: string) => `There is “${there}”.`,
  rewrites: {
    shortened: {
      problem: 'A spreadsheet has shortened it.',
      confirm: (count: number) => `The ${count} shortened identifiers are right as they are`,
    },
    zeros: {
      problem: 'It differs from an existing one by leading zeros alone.',
      confirm: (count: number) => `The ${count} identifiers with other leading zeros are right as they are`,
    },
  },
  rewrittenMeans:
    'A spreadsheet may have changed these. Nothing is written until you confirm them. Else read the columns as text in the spreadsheet, and choose the file again.',
  reasons: {
    notCsv: () => 'A quote is not closed, or is within a cell that does not begin with one.',
    columnUnknown: (what) => `There is no such column. Columns are: ${what}.`,
    columnTwice: () => 'The column is there twice.',
    columnMissing: (what) => `One of these columns is needed: ${what}.`,
    tooManyCells: () => 'It has more cells than the first line.',
    required: () => 'It must not be empty.',
    unnamed: () => 'A new product needs an external_id or a sku.',
    tooLong: (what) => `It must have at most ${what} characters.`,
    notPrice: (what) => `“${what}” is no price: 12.50 or 12,50.`,
    notQuantity: (what) => `“${what}” is no quantity: 12 or 12,5.`,
    notYesOrNo: (what) => `“${what}” must be yes or no.`,
    categoryUnknown: (what) => `There is no category “${what}”.`,
    categoryTwice: (what) => `Several categories are called “${what}”: write the id.`,
    idUnknown: (what) => `There is no product ${what}.`,
    namedTwice: (what) => `Line ${what} names the same product.`,
    taken: (what) => `Another product has “${what}”.`,
  } satisfies Reasons,
};

const es: typeof en = {
  link: 'Productos como archivo (CSV)',
  title: 'Productos como archivo',
  download: 'Descargar todos los productos',
  choose: 'Archivo para leer (CSV)',
  means:
    'Cada línea es un producto, que se busca por su id, si no por su external_id, si no por su sku. El que no se encuentra se crea. Una columna que falta en el archivo queda como está, y también un id, SKU, visibilidad o stock vacío. No se elimina nada.',
  reading: 'Leyendo…',
  tooLarge: 'El archivo pasa de 5 MB. Divídalo.',
  problems: 'El archivo no se acepta: corrija esto y elíjalo otra vez.',
  difference: 'Qué se escribiría',
  line: 'Línea',
  column: 'Columna',
  problem: 'Problema',
  makes: 'nuevo',
  changes: 'cambiado',
  summary: (made, changed, same) => `${made} nuevos, ${changed} cambiados, ${same} como están.`,
  write: 'Escribir esto',
  progress: (done, all) => `${done} de ${all} escritos`,
  written: (count) => (count === 1 ? 'Se escribió 1 producto.' : `Se escribieron ${count} productos.`),
  notWritten: 'No se escribió',
  stop: 'Detener',
  stopped: 'Se detuvo antes.',
  isNow: (now) => `Alguien lo cambió mientras tanto. Ahora hay: ${now}`,
  rewritten: 'Identificadores para revisar',
  identifier: 'Identificador',
  isLike: (there) => `Ya hay “${there}”.`,
  rewrites: {
    shortened: {
      problem: 'Una hoja de cálculo lo abrevió.',
      confirm: (count) => `Los ${count} identificadores abreviados están bien así`,
    },
    zeros: {
      problem: 'Solo se distingue de uno existente por los ceros del principio.',
      confirm: (count) => `Los ${count} identificadores con otros ceros al principio están bien así`,
    },
  },
  rewrittenMeans:
    'Es posible que una hoja de cálculo los haya cambiado. No se escribe nada hasta que los confirme. Si no, lea las columnas como texto en la hoja de cálculo y elija el archivo otra vez.',
  reasons: {
    notCsv: () => 'Una comilla no se cierra, o está en una celda que no empieza con comilla.',
    columnUnknown: (what) => `No existe esa columna. Las columnas son: ${what}.`,
    columnTwice: () => 'La columna está dos veces.',
    columnMissing: (what) => `Hace falta una de estas columnas: ${what}.`,
    tooManyCells: () => 'Tiene más celdas que la primera línea.',
    required: () => 'No debe estar vacío.',
    unnamed: () => 'Un producto nuevo necesita un external_id o un sku.',
    tooLong: (what) => `Debe tener como máximo ${what} caracteres.`,
    notPrice: (what) => `“${what}” no es un precio: 12.50 o 12,50.`,
    notQuantity: (what) => `“${what}” no es una cantidad: 12 o 12,5.`,
    notYesOrNo: (what) => `“${what}” debe ser yes (sí) o no.`,
    categoryUnknown: (what) => `No hay ninguna categoría “${what}”.`,
    categoryTwice: (what) => `Varias categorías se llaman “${what}”: escriba el id.`,
    idUnknown: (what) => `No hay ningún producto ${what}.`,
    namedTwice: (what) => `La línea ${what} nombra el mismo producto.`,
    taken: (what) => `Otro producto tiene “${what}”.`,
  },
};

/** The texts of products as a file. */
export const csvTexts: Texts<typeof en> = { en, es };
