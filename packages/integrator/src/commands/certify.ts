import type { Command } from '../command.ts';
import { type Certification, reportOf } from '../report.ts';
import { sleep } from '../waiting.ts';

const everyMs = 1_000;

/** What an integration may not do, by the option that says so. */
const deeds = {
  'no-webhooks': { field: 'receives_webhooks', help: 'it receives no webhooks' },
  'no-catalog': { field: 'reads_catalog', help: 'it does not read the catalog' },
  'no-lists': { field: 'reads_lists', help: 'it reads no lists' },
  'no-orders': { field: 'places_orders', help: 'it does not place orders' },
} as const;

/** Has the integration of a sandbox certified, follows it, and prints the report as Markdown. */
export const certify: Command = {
  summary: 'Have your integration certified in a sandbox, and print the report',
  options: {
    ...Object.fromEntries(Object.entries(deeds).map(([name, { help }]) => [name, { help }])),
    follow: { value: 'ID', help: 'follow one that runs, or print the report of one that ended' },
    json: { help: 'the report as JSON' },
  },
  more: ['Exit code 0: passed. 1: failed, or aborted. What it waits for is said on standard error.'],
  async run({ terminal, text, flag, service }) {
    const api = service();
    const body = Object.fromEntries(Object.entries(deeds).map(([name, { field }]) => [field, !flag(name)]));
    const given = text('follow');
    const first = (await api.call(
      given === undefined
        ? { method: 'POST', path: '/v2/certifications', body }
        : { path: `/v2/certifications/${encodeURIComponent(given)}` },
    )) as { data: Certification };
    let run = first.data;
    terminal.note(`certification ${run.id}`);
    const said = new Set<string>();
    const tell = (line: string) => {
      if (!said.has(line)) terminal.note(line);
      said.add(line);
    };
    for (;;) {
      for (const { check, status, reason } of run.checks)
        if (status === 'passed' || status === 'failed')
          tell(`${status}: ${check}${reason === undefined ? '' : `: ${reason}`}`);
      if (run.waiting_for !== undefined) {
        const { check, action, text: what, until } = run.waiting_for;
        if (action !== 'none') tell(`${check}: ${what} (until ${until})`);
        else tell(`${check}: ${what}`);
      }
      if (run.completed_at !== undefined) break;
      await sleep(everyMs);
      run = (
        (await api.call({ path: `/v2/certifications/${run.id}`, forever: true })) as { data: Certification }
      ).data;
    }
    terminal.say(flag('json') ? JSON.stringify(run, null, 2).split('\n') : reportOf(run));
    return run.status === 'passed' ? 0 : 1;
  },
};
