export { watchShared } from './watch-shared.ts';
