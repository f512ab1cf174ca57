import type { ComandaClient } from '@comanda/client';
import { createContext, useContext } from 'react';
import type { Session } from './session.ts';

/** The context of every screen. */
export interface Signed {
  comanda: ComandaClient;
  session: Session;
  /** The location has another name, time zone or currency now. */
  relocate(location: Pick<Session['location'], 'name' | 'timezone' | 'currency'>): void;
}

/** Given by the frame to all parts that a signed-in person sees. */
export const ComandaContext = createContext<Signed | undefined>(undefined);

/** The client and the session. Throws outside of a screen. */
export function useComanda(): Signed {
  const signed = useContext(ComandaContext);
  if (signed === undefined) throw new Error('no session is signed in');
  return signed;
}
