// Preloaded into the generators, which print their code with a compiler API that TypeScript 7 has no more.
import { register } from 'node:module';

const resolve = `export const resolve = (name, context, next) =>
  next(name === 'typescript' ? 'typescript-5' : name, context);`;

register(`data:text/javascript,${encodeURIComponent(resolve)}`);
