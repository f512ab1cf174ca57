import type { MetricFamily } from '../metrics/family.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { FromProcess, ToProcess } from './messages.ts';

/** How long the first process is waited for; it gives the others half of that. */
const patienceMs = 2_000;

/** Metrics of all processes behind the port: whichever is scraped asks the first one for those of the others. */
export function withSiblings(metrics: Metrics): Metrics {
  const waiting = new Map<number, (parts: MetricFamily[][]) => void>();
  let asked = 0;
  process.on('message', (message: ToProcess) => {
    if ('answer' in message) waiting.get(message.answer)?.(message.parts);
    else if ('own' in message)
      metrics.own().then(
        (own) => send({ answered: message.own, own }),
        () => {},
      );
  });
  const ask = async (): Promise<MetricFamily[][]> => {
    asked += 1;
    const id = asked;
    const own = await metrics.own();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(id);
        // A sum without the others would look like counters that fell.
        reject(new Error('the first process does not answer'));
      }, patienceMs);
      waiting.set(id, (parts) => {
        clearTimeout(timer);
        waiting.delete(id);
        resolve(parts);
      });
      send({ siblings: id, own });
    });
  };
  return { ...metrics, text: async () => metrics.text(await ask()) };
}

function send(message: FromProcess): void {
  if (process.connected) process.send?.(message);
}
