import type { Database } from '@comanda/db';
import type { Other } from '../company.ts';

/** Where a bad neighbour does its work: a database, who serves it, and two locations of it. */
export interface Scene {
  database: Database;
  /** Connection string of it, of a role that may do what an operator does by hand. */
  databaseUrl: string;
  apiUrl: string;
  /** Process ids of its workers. */
  workers: readonly number[];
  /** The neighbour's locations. */
  locations: readonly [Other, Other];
  /** Base URL of a host whose paths below it never answer; the healthy endpoint may live there, too. */
  hangUrl: string;
  /** Ends what hangs there. */
  letGo(): Promise<void>;
}

/** Somebody whose work should be nobody else's trouble. */
export interface Neighbour {
  /** Short, for the command line. */
  id: string;
  /** What is told of it: "beside …". */
  name: string;
  /** Goal of another location's commit-to-arrival at the 99th percentile, in milliseconds. */
  arrivalMs: number;
  /** Its work lasts: once begun it is measured over and over, so many seconds each time. Others begin anew each time. */
  lastingSeconds?: number;
  /** Makes what it needs, `size` rows where it is about many; the answer begins it, and the answer to that ends it. */
  prepare(scene: Scene, size: number): Promise<Begin>;
  /** How many rows in full. */
  size?: number;
}

/** Makes a call whose answer is a goal of its own: at most 100 ms, whatever the size. */
export type Time = (work: string, call: () => Promise<unknown>) => Promise<void>;
export type Begin = (time: Time) => Promise<End>;
export type End = () => Promise<void>;
