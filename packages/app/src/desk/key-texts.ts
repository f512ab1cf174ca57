import type { Texts } from '../frame/language.tsx';

const en = {
  allKeys: 'All keys',
  begins: 'Begins with',
  made: 'Made',
  narrow: 'Its permissions',
  narrowMeans: 'Untick the permissions to remove. A removed permission cannot be given back here.',
  rotate: 'Replace',
  sureToRotate: (name: string) => `Make a key in place of ${name}?`,
  rotateMeans: 'It may do the same. The old one still works for',
  atOnce: 'no time: it ends at once',
  rotatedEnds: (moment: string) =>
    `The new key ends when yours does, ${moment}. One that lasts is made by: comanda keys rotate`,
  everyType: 'It sees every type of event, as keys did before types had permissions.',
  byPermission: 'Show it only the types of its permissions',
  sureByPermission: (name: string) => `Narrow the events of ${name}?`,
  byPermissionMeans: 'It no longer sees the others. This cannot be undone.',
  choice: 'permissions of your choice',
};

const es: typeof en = {
  allKeys: 'Todas las claves',
  begins: 'Empieza con',
  made: 'Creada',
  narrow: 'Qué puede hacer',
  narrowMeans: 'Desmarque lo que debe perder. Lo perdido no se devuelve aquí.',
  rotate: 'Reemplazar',
  sureToRotate: (name) => `¿Crear una clave en lugar de ${name}?`,
  rotateMeans: 'Puede hacer lo mismo. La anterior sigue sirviendo durante',
  atOnce: 'nada: termina enseguida',
  rotatedEnds: (moment) =>
    `La nueva clave termina cuando termine la suya, ${moment}. Una que dure se crea con: comanda keys rotate`,
  everyType: 'Ve todos los tipos de eventos, como antes de que los tipos tuvieran permisos.',
  byPermission: 'Mostrarle solo los tipos de sus permisos',
  sureByPermission: (name) => `¿Reducir los eventos de ${name}?`,
  byPermissionMeans: 'Deja de ver los demás. No se puede deshacer.',
  choice: 'los permisos que usted elija',
};

/** The texts of keys. */
export const keyTexts: Texts<typeof en> = { en, es };
