/**
 * Keeps what is made for a name, as statements that depend on which filters are given: made at the first use, and the same from then on.
 * The names are few: they come from schemas, never from a value of a caller.
 */
export function keptByName<Made>(): (name: string, make: (name: string) => Made) => Made {
  const kept = new Map<string, Made>();
  return (name, make) => {
    const made = kept.get(name) ?? make(name);
    kept.set(name, made);
    return made;
  };
}
