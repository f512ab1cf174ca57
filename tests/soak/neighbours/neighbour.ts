import type { Database } from '@comanda/db';
import type { Shop } from './shop.ts';

/** The scene of a bad neighbor: a database, its service, and two of its locations. */
export interface Scene {
  database: Database;
  /** Connection string of it, of a role that may do what an operator does by hand. */
  databaseUrl: string;
  apiUrl: string;
  /** Process ids of its workers. */
  workers: readonly number[];
  /** The neighbor's locations. */
  locations: readonly [Shop, Shop];
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
  /** Makes what it needs, `size` rows where it is about many; the answer begins it, and the answer to that ends it. */
  prepare(scene: Scene, size: number): Promise<Begin>;
  /** How many rows, where it is about many. */
  size?: number;
}

export type Begin = () => Promise<End>;
export type End = () => Promise<void>;
