export { createFront } from './front/create.ts';
export type { FrontAccess, FrontOptions, FrontSetting } from './front/options.ts';
export type { FrontProcedure } from './front/procedures.ts';
