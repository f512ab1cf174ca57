import { expect } from 'vitest';
import { usePublishingApi } from '../support/published.ts';
import { waitFor } from '../support/wait.ts';
import { journey } from './journey.ts';
import { useTabs } from './tabs.ts';

const api = usePublishingApi(undefined, { live: { quietMs: 200 } });
const { browser, pages, open: openTab, change, newest, idsAfter, have, streams, closeAll } = useTabs(api);

journey(
  'tabs of a browser share a stream; a watch comes back when the browser is online',
  (check) => {
    check('share one stream, and each has every event once, in its order', async () => {
      const before = await newest();
      const tabs = [await openTab(), await openTab(), await openTab()];
      for (const tab of tabs) await tab.live();
      await change(5);
      const wanted = await idsAfter(before);
      for (const tab of tabs) expect(await have(tab, wanted)).toEqual(wanted);
      expect(streams()).toBe(1);
    });

    check('begin where each wants to begin', async () => {
      const before = await newest();
      await change(3);
      const now = await newest();
      const first = await openTab();
      await first.live();
      const second = await openTab({ input: { after: before } });
      const third = await openTab({ input: { types: ['webhook.test'] } });
      await third.live();
      await change(2);
      const wanted = await idsAfter(before);
      expect(await have(second, wanted)).toEqual(wanted);
      expect(await third.ids()).toEqual([]);
      expect(await have(first, await idsAfter(now))).toEqual(await idsAfter(now));
      expect(streams()).toBe(1);
    });

    check(
      'go on without a gap and without a double when the one that holds the stream is closed',
      async () => {
        const before = await newest();
        const [holder, ...others] = [await openTab(), await openTab(), await openTab()];
        for (const tab of [holder, ...others]) await tab.live();
        const making = change(30);
        await waitFor('some', async () => (await holder.ids()).length >= 5);
        await holder.page.close();
        await making;
        const wanted = await idsAfter(before);
        for (const tab of others) expect(await have(tab, wanted)).toEqual(wanted);
        await waitFor('one stream', () => streams() === 1);
      },
    );

    check('take the stream over from one that no longer answers', async () => {
      const before = await newest();
      const [holder, other] = [await openTab({ silentMs: 1_000 }), await openTab({ silentMs: 1_000 })];
      for (const tab of [holder, other]) await tab.live();
      // As a browser does with hidden pages: nothing of them runs any more.
      const devTools = await holder.page.createCDPSession();
      await devTools.send('Page.setWebLifecycleState', { state: 'frozen' });
      await change(5);
      const wanted = await idsAfter(before);
      expect(await have(other, wanted)).toEqual(wanted);
      await devTools.send('Page.setWebLifecycleState', { state: 'active' });
      await change(2);
      const all = await idsAfter(before);
      for (const tab of [holder, other]) expect(await have(tab, all)).toEqual(all);
    });

    check('read from the feed what the channel does not bring', async () => {
      const before = await newest();
      const [holder, other] = [await openTab(), await openTab({ silentMs: 1_000 })];
      for (const tab of [holder, other]) await tab.live();
      await holder.page.evaluate(`(() => {
      const { postMessage } = BroadcastChannel.prototype;
      let received = 0;
      BroadcastChannel.prototype.postMessage = function (said) {
        if (said.kind !== 'event' || ++received % 3 === 0) postMessage.call(this, said);
      };
    })()`);
      await change(10);
      const wanted = await idsAfter(before);
      expect(await have(other, wanted)).toEqual(wanted);
    });

    check(
      'read from the feed what came while the loop of the one that holds the stream was far behind',
      async () => {
        const before = await newest();
        const { page, ...holder } = await openTab();
        await holder.live();
        await page.evaluate(`(() => {
      globalThis.held = new Promise((resolve) => { globalThis.goOn = resolve; });
      globalThis.received = [];
      new BroadcastChannel('comanda 2 test').onmessage = ({ data }) => received.push(data.event?.id ?? data.kind);
    })()`);
        await change();
        await waitFor('the first event', async () => (await holder.ids()).length === 1);
        // As much as may wait for the loop.
        await page.evaluate(`(() => {
      const channel = new BroadcastChannel('comanda 2 test');
      const received = { kind: 'state', state: { status: 'live', cursor: '${before}' }, cursor: ids[0] };
      for (let n = 0; n < 1000; n += 1) channel.postMessage(received);
    })()`);
        await waitFor('the others', () =>
          page.evaluate(`received.filter((id) => id === 'state').length >= 1000`),
        );
        await change(3);
        const wanted = await idsAfter(before);
        await waitFor('the last event', () => page.evaluate(`received.includes('${wanted.at(-1)}')`));
        await page.evaluate('goOn()');
        expect(await have({ page, ...holder }, wanted)).toEqual(wanted);
      },
    );

    check('throw nothing when one is closed before it can say that it answers', async () => {
      const page = await browser.newPage();
      await page.goto(pages.url);
      await page.evaluate(`(() => {
      globalThis.errors = [];
      globalThis.isLate = false;
      addEventListener('error', ({ message }) => errors.push(message));
      const { createClient, watchShared } = globalThis.comanda;
      // It hears of no signal, so the stream ends later than the tab.
      const client = createClient({ url: location.href, key: 'any', fetch: () => new Promise(() => {}) });
      const ending = new AbortController();
      const { setTimeout } = globalThis;
      globalThis.setTimeout = (run, ms) => {
        if (ms !== undefined) return setTimeout(run, ms);
        ending.abort();
        return setTimeout(() => { isLate = true; run(); });
      };
      const events = watchShared(client, 'closed', {}, { signal: ending.signal });
      void (async () => { for await (const _ of events); })();
      const other = new BroadcastChannel('comanda 2 closed');
      // The tab that holds the stream says so at first.
      other.onmessage = ({ data }) => { if (data.kind === 'state') other.postMessage({ kind: 'hello' }); };
    })()`);
      await waitFor('the answer that comes too late', () => page.evaluate('isLate'));
      expect(await page.evaluate('errors')).toEqual([]);
      await page.close();
    });

    check('send each other no key, and request no address that has one', async () => {
      const spy = await browser.newPage();
      await spy.goto(pages.url);
      await spy.evaluate(`(() => {
      globalThis.received = [];
      new BroadcastChannel('comanda 2 test').onmessage = ({ data }) => received.push(JSON.stringify(data));
    })()`);
      const tabs = [await openTab(), await openTab()];
      for (const tab of tabs) await tab.live();
      await change();
      await waitFor('an event', async () =>
        (await spy.evaluate<string[]>('received')).some((text) => text.includes('"event"')),
      );
      const received = (await spy.evaluate<string[]>('received')).join();
      expect(received).not.toContain(api.key.key);
      expect(pages.asked().join()).not.toContain(api.key.key);
      await spy.close();
    });

    check('end each by its own refusal', async () => {
      const tab = await openTab({ input: { after: '01935a3e-7d90-7c3b-a5e6-f70819203142' } });
      await waitFor('the refusal', () => tab.error());
      expect(await tab.error()).toBe('unknown_cursor');
      const other = await openTab();
      await other.live();
      const late = await openTab({ input: { after: '01935a3e-7d90-7c3b-a5e6-f70819203142' } });
      await waitFor('its refusal', () => late.error());
      expect(await late.error()).toBe('unknown_cursor');
      expect(await other.error()).toBeNull();
    });

    check('comes back as soon as the browser is online, however long it was to wait', async () => {
      const before = await newest();
      pages.refuse(600);
      const tab = await openTab({ shared: false, input: { after: before } });
      await waitFor('it to wait', async () => (await tab.states()).at(-1)?.status === 'waiting');
      expect((await tab.states()).at(-1)?.retryInMs).toBeGreaterThan(600_000);
      pages.refuse(undefined);
      await change();
      const wanted = await idsAfter(before);
      await tab.online(false);
      await tab.online(true);
      expect(await have(tab, wanted)).toEqual(wanted);
    });

    check(
      'opens another connection when the browser is online again: the one before is of a network that is gone',
      async () => {
        const before = await newest();
        const tab = await openTab({ shared: false });
        await tab.live();
        await tab.online(false);
        await change();
        const wanted = await idsAfter(before);
        await tab.online(true);
        expect(await have(tab, wanted)).toEqual(wanted);
        await waitFor('another connection', async () => {
          const states = await tab.states();
          return states.filter(({ status }) => status === 'live').length === 2;
        });
      },
    );
  },
  closeAll,
);
