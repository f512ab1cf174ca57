export { type ClientOptions, type ClientRouter, type ComandaClient, createClient } from './client.ts';
export { type ComandaError, comandaError, type NoAnswer, noAnswer } from './errors.ts';
export type { ComandaEvent, ComandaEventOf, EventType, WebhookEvent } from './events.ts';
export { type FollowOptions, followEvents } from './feed.ts';
export type { CallSeen, Hooks, RequestSeen, ResponseSeen, RetrySeen } from './hooks.ts';
export { type Deletion, type List, type ListOptions, type ListPage, listAll } from './list.ts';
export type { CallOptions, EventOf } from './operations.ts';
export { wasReplayed } from './replayed.ts';
export type {
  AppRouter,
  ErrorCode,
  ErrorDetails,
  ErrorReason,
  EventData,
  Grant,
  Included,
  Permission,
  PublishedEvent,
} from './surface.ts';
export { tagOf } from './tag.ts';
export type { LiveEvents, WatchInput, WatchOptions, WatchState } from './watch.ts';
