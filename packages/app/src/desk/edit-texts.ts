import type { Texts } from '../frame/language.tsx';

const en = {
  yes: 'yes',
  no: 'no',
  pictureOf: (name: string) => `Picture of ${name}`,
  noPicture: 'There is no picture at this address.',
};

const es: typeof en = {
  yes: 'sí',
  no: 'no',
  pictureOf: (name) => `Imagen de ${name}`,
  noPicture: 'No hay ninguna imagen en esta dirección.',
};

/** The words for a field that is on or off, and for a picture. */
export const editTexts: Texts<typeof en> = { en, es };
