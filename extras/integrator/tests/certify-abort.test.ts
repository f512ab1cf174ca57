import { describe, expect, it } from 'vitest';
import type { Certification } from '../../../packages/api/src/resources/certifications/schema.ts';
import { useApi } from '../../../tests/support/api.ts';
import { download } from './comanda-mjs.ts';

// No worker runs here: a run waits until it is aborted.
const api = useApi();

async function openSandbox() {
  const { token: key } = await api.place({ location: { sandbox: true } });
  const tool = await download({ url: api.url, key: { id: '', key } });
  const newest = async () =>
    (await api.rest<{ data: Certification[] }>('GET /v2/certifications', { key })).body.data[0];
  return { tool, newest };
}

describe('comanda certify', () => {
  it('aborts the run that it started on Ctrl-C', async () => {
    const { tool, newest } = await openSandbox();
    const running = tool.start(['certify', '--role', 'erp']);
    await running.says(/certification [0-9a-f-]{36}/);
    const { code, stderr } = await running.stop('SIGINT');
    expect([code, stderr]).toEqual([130, expect.stringContaining('aborting certification')]);
    expect(await newest()).toMatchObject({ role: 'erp', status: 'aborted' });
  });

  it('leaves a run that it only follows alone on Ctrl-C; --abort ends it, and prints nothing of another', async () => {
    const { tool, newest } = await openSandbox();
    const started = tool.start(['certify', '--no-orders']);
    await started.says(/certification [0-9a-f-]{36}/);
    const run = await newest();
    const follower = tool.start(['certify', '--follow', run?.id ?? '']);
    await follower.says(/certification [0-9a-f-]{36}/);
    expect((await follower.stop('SIGINT')).code).toBe(130);
    expect(await newest()).toMatchObject({ status: 'queued', does: { places_orders: false } });
    const aborted = await tool.run(['certify', '--abort']);
    expect([aborted.code, aborted.stderr]).toEqual([0, expect.stringContaining(`${run?.id} is aborted`)]);
    // A program that followed it gets the report.
    const ended = await started.ended;
    expect([ended.code, ended.stdout]).toEqual([1, expect.stringContaining('**aborted**: Aborted')]);
    const again = await tool.run(['certify', '--abort']);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('no certification is under way')]);
  });

  it('refuses a role that there is not, before it starts a run', async () => {
    const { tool, newest } = await openSandbox();
    const ended = await tool.run(['certify', '--role', 'till']);
    expect([ended.code, ended.stderr]).toEqual([2, expect.stringContaining('erp, kiosk, listener')]);
    expect(await newest()).toBeUndefined();
  });
});
