/** A metric as an answer of `/metrics` has it. */
export interface ExposedMetric {
  name: string;
  type: string;
  help: string;
  samples: { name: string; labels: Record<string, string>; value: number }[];
}

/** Reads the text format of Prometheus. */
export function metricsIn(text: string): ExposedMetric[] {
  const found: ExposedMetric[] = [];
  for (const line of text.split('\n')) {
    const [, name = '', help = ''] = /^# HELP (\S+) (.*)$/.exec(line) ?? [];
    if (name !== '') found.push({ name, help, type: '', samples: [] });
    const [, typed = '', type = ''] = /^# TYPE (\S+) (\w+)$/.exec(line) ?? [];
    const last = found.at(-1);
    if (last === undefined || line === '') continue;
    if (typed === last.name) last.type = type;
    const [, sample = '', labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (sample === '') continue;
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', text = '']) => [
      key,
      text,
    ]);
    last.samples.push({ name: sample, labels: Object.fromEntries(pairs), value: Number(value) });
  }
  return found;
}

/** Its samples as `name` and labels, without `le` of a histogram; for comparing with the table. */
export function labelsOf({ samples }: ExposedMetric): string[][] {
  const sets = samples.map(({ labels }) => Object.keys(labels).filter((label) => label !== 'le'));
  return [...new Map(sets.map((set) => [set.toSorted().join(), set.toSorted()])).values()];
}
