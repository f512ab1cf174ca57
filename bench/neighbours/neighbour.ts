import type { Database } from '@comanda/db';
import type { Other } from '../company.ts';

/** The scene of a bad neighbor: a database, its service, and two of its locations. */
export interface Scene {
  database: Database;
  /** Connection string of it, of a role that may do what an operator does by hand. */
  databaseUrl: string;
  apiUrl: string;
  /** Process ids of its workers. */
  workers: readonly number[];
  /** The neighbor's locations. */
  locations: readonly [Other, Other];
  /** Base URL of a host whose paths below it never answer; the healthy endpoint may live there, too. */
  hangUrl: string;
  /** Ends what hangs there. */
  letGo(): Promise<void>;
}

/** A party whose work should not disturb any other. */
export interface Neighbour {
  /** Short, for the command line. */
  id: string;
  /** Its description: "with …". */
  name: string;
  /** Goal of another location's commit-to-arrival at the 99th percentile, in milliseconds. */
  arrivalMs: number;
  /**
   * Its work lasts: once begun it is measured over and over, so many seconds each time. Others start over each time.
   */
  lastingSeconds?: number;
  /** Makes what it needs, `size` rows where it is about many; the answer begins it, and the answer to that ends it. */
  prepare(scene: Scene, size: number): Promise<Begin>;
  /** How many rows in full. */
  size?: number;
}

/** Makes a call whose answer is a goal of its own: at most 100 ms, at any size. */
export type Time = (work: string, call: () => Promise<unknown>) => Promise<void>;
export type Begin = (time: Time) => Promise<End>;
export type End = () => Promise<void>;
