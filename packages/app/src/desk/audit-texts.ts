import type { Texts } from '../frame/language.tsx';

const en = { table: 'Changes of (a table)', all: 'all changes by people' };

const es: typeof en = { table: 'Qué se cambió (una tabla)', all: 'todo lo que hicieron personas' };

/** The texts of the filter of the audit. */
export const auditTexts: Texts<typeof en> = { en, es };
