import { useSyncExternalStore } from 'react';

const keptAs = 'comanda.alerts';
const listeners = new Set<() => void>();

const isOn = (): boolean => localStorage.getItem(keptAs) !== 'off';

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Whether a new order sounds and flashes. The browser keeps what was chosen, for all who sign in there. */
export const useAlerts = (): boolean => useSyncExternalStore(subscribe, isOn);

/** Turns sound and flash on or off. */
export function setAlerts(on: boolean): void {
  localStorage.setItem(keptAs, on ? 'on' : 'off');
  for (const listener of listeners) listener();
}
