export { type LiveView, useLive } from './react/use-live.ts';
