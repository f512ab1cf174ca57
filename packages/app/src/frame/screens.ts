import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import type { ScreenName } from './session.ts';
import type { frameTexts } from './texts.ts';

/** A screen: where it is, what it is called, and what it is made of, which is loaded when it is opened. */
export interface Screen {
  path: `/app/${string}`;
  title: Extract<keyof typeof frameTexts.en, ScreenName>;
  component: LazyExoticComponent<ComponentType>;
}

/**
 * Every screen, in the order of the menu. The permissions of each are in the service's own table (`screens` of
 * packages/api/src/resources/app-codes/schema.ts): a code is made for screens, and the key that it gives opens these.
 */
export const screens: Readonly<Record<ScreenName, Screen>> = {
  board: {
    path: '/app/board',
    title: 'board',
    component: lazy(() => import('../board/board.tsx').then(({ Board }) => ({ default: Board }))),
  },
  day: {
    path: '/app/day',
    title: 'day',
    component: lazy(() => import('../day/day.tsx').then(({ Day }) => ({ default: Day }))),
  },
  desk: {
    path: '/app/desk',
    title: 'desk',
    component: lazy(() => import('../desk/desk.tsx').then(({ Desk }) => ({ default: Desk }))),
  },
};
