import type { Command } from '../command.ts';
import { type Certification, reportOf } from '../report.ts';
import type { Service } from '../service.ts';
import type { Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';
import { sleep } from '../waiting.ts';

const everyMs = 1_000;
const roles = ['erp', 'kiosk', 'listener'];

/** The features that an integration lacks, by the option that says so. */
const deeds = {
  'no-webhooks': { field: 'receives_webhooks', help: 'it receives no webhooks' },
  'no-catalog': { field: 'reads_catalog', help: 'it does not read the catalog' },
  'no-lists': { field: 'reads_lists', help: 'it reads no lists' },
  'no-orders': { field: 'places_orders', help: 'it does not place orders' },
  'no-status': { field: 'takes_orders', help: 'it does not take orders and send their statuses' },
  'no-items': { field: 'brings_catalog', help: 'it does not bring products or stock' },
} as const;

/** Has the integration of a sandbox certified, follows it, and prints the report as Markdown. */
export const certify: Command = {
  summary: 'Have your integration certified in a sandbox, and print the report',
  options: {
    role: { value: 'ROLE', help: 'erp, kiosk or listener: which checks apply' },
    ...Object.fromEntries(Object.entries(deeds).map(([name, { help }]) => [name, { help }])),
    follow: { value: 'ID', help: 'follow one that runs, or print the report of one that ended' },
    abort: { help: 'abort the one that runs, or that of --follow' },
    json: { help: 'the report as JSON' },
  },
  more: [
    'Exit code 0: passed. 1: failed, or aborted. The step that it waits for is on standard error.',
    'Ctrl-C aborts the run that it started; with --follow it ends the printing alone.',
  ],
  async run({ terminal, text, flag, service }) {
    const role = text('role');
    if (role !== undefined && !roles.includes(role))
      throw new UsageError(`--role must be ${roles.join(', ')}`);
    const api = service();
    const given = text('follow');
    if (flag('abort')) return abortRun(api, terminal, given);
    const denied = Object.entries(deeds).flatMap(([name, { field }]) => (flag(name) ? [[field, false]] : []));
    const body = { ...(role !== undefined && { role }), ...Object.fromEntries(denied) };
    let run = await read(
      api,
      given === undefined
        ? { method: 'POST', path: '/v2/certifications', body }
        : { path: `/v2/certifications/${encodeURIComponent(given)}` },
    );
    if (given === undefined) abortOnInterrupt(api, terminal, run.id);
    terminal.note(`certification ${run.id}`);
    const said = new Set<string>();
    const show = (line: string) => {
      if (!said.has(line)) terminal.note(line);
      said.add(line);
    };
    for (;;) {
      for (const { check, status, reason } of run.checks)
        if (status === 'passed' || status === 'failed' || status === 'not_played')
          show(`${status}: ${check}${reason === undefined ? '' : `: ${reason}`}`);
      if (run.waiting_for !== undefined) {
        const { check, action, text: what, until } = run.waiting_for;
        if (action !== 'none') show(`${check}: ${what} (until ${until})`);
        else show(`${check}: ${what}`);
      }
      if (run.completed_at !== undefined) break;
      await sleep(everyMs);
      run = await read(api, { path: `/v2/certifications/${run.id}`, forever: true });
    }
    terminal.say(flag('json') ? JSON.stringify(run, null, 2).split('\n') : reportOf(run));
    return run.status === 'passed' ? 0 : 1;
  },
};

const read = async (api: Service, call: Parameters<Service['call']>[0]): Promise<Certification> =>
  ((await api.call(call)) as { data: Certification }).data;

const abort = (api: Service, id: string): Promise<Certification> =>
  read(api, { method: 'POST', path: `/v2/certifications/${encodeURIComponent(id)}/abort` });

/** Aborts the run of this id, else the one that is under way. */
async function abortRun(api: Service, terminal: Terminal, id: string | undefined): Promise<number> {
  const { data } = (await api.call({ path: '/v2/certifications', query: { limit: 1 } })) as {
    data: Certification[];
  };
  const wanted = id ?? data.find(({ completed_at: end }) => end === undefined)?.id;
  if (wanted === undefined) {
    terminal.note('no certification is under way');
    return 1;
  }
  await abort(api, wanted);
  terminal.note(`certification ${wanted} is aborted`);
  return 0;
}

/** The first Ctrl-C aborts the run, and the second one only ends the program. */
function abortOnInterrupt(api: Service, terminal: Terminal, id: string): void {
  process.removeAllListeners('SIGINT');
  process.once('SIGINT', () => {
    process.once('SIGINT', () => process.exit(130));
    terminal.note(`aborting certification ${id}`);
    abort(api, id)
      .catch((error: unknown) => terminal.note(error instanceof Error ? error.message : String(error)))
      .finally(() => process.exit(130));
  });
}
