/** The reaction of the soak's consumer to an event; the event's id alone decides, so that it can be checked later. */
export function mannersFor(eventId: string, attempt: number): { afterMs: number; status: number } {
  const lot = lotOf(eventId);
  const afterMs = lot % 10 < 4 ? 20 + (lot % 280) : 0;
  const flaky = attempt === 1 && lot % 50 === 1;
  return { afterMs, status: isRefused(eventId) || flaky ? 500 : 204 };
}

/** One event in 500 is refused for good: its delivery must end as dead, after five attempts. */
export function isRefused(eventId: string): boolean {
  return lotOf(eventId) % 500 === 2;
}

const lotOf = (eventId: string) => Number.parseInt(eventId.slice(-7), 16);
