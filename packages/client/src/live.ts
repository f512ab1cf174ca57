export type { LiveChange } from './live/change.ts';
export { dropOutboxes, type LiveStorage } from './live/kept.ts';
export type { LiveSnapshot, LiveState } from './live/list.ts';
export { type Live, type LiveOptions, liveOf } from './live/live.ts';
export {
  type LiveFilters,
  type LiveList,
  type LiveListOptions,
  liveList,
  type Mutation,
} from './live/live-list.ts';
