/** Which endpoints do not answer in time, as far as this process has seen. */
export interface Silence {
  /** Whether its last five attempts timed out and none has arrived since: it then has one slot at its origin. */
  isSilent(endpointId: string): boolean;
  /** Notes how an attempt ended. */
  note(endpointId: string, ended: { ok: boolean; timedOut: boolean }): void;
}

/** So many time-outs in a row. */
const enough = 5;
/** Endpoints that are remembered; beyond them the one that was noted first is forgotten, and learned again. */
const mostKnown = 10_000;

/** Starts with none. */
export function createSilence(): Silence {
  const timeouts = new Map<string, number>();
  return {
    isSilent: (endpointId) => (timeouts.get(endpointId) ?? 0) >= enough,
    note(endpointId, { ok, timedOut }) {
      const known = timeouts.get(endpointId) ?? 0;
      if (timedOut) timeouts.set(endpointId, known + 1);
      else if (ok || known < enough) timeouts.delete(endpointId);
      const [first] = timeouts.keys();
      if (timeouts.size > mostKnown && first !== undefined) timeouts.delete(first);
    },
  };
}
