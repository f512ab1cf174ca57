import type { Texts } from '../frame/language.tsx';

const en = { yes: 'yes', no: 'no' };

const es: typeof en = { yes: 'sí', no: 'no' };

/** The words for a field that is on or off. */
export const editTexts: Texts<typeof en> = { en, es };
