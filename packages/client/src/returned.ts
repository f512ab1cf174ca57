/** Properties of a page that servers and workers lack. */
type Place = Partial<EventTarget> & {
  navigator?: object;
  document?: EventTarget & { visibilityState: string };
};

/**
 * Calls `listener` when a connection from before may be dead without a word: the browser is online again, has thawed the page, shows it again
 * from its cache, or shows it again after `isQuiet` began to hold. Ends that.
 *
 * Chromium hands a stream no byte any more that came while the page was frozen. Safari says nothing of a page that it suspends.
 *
 * @internal
 */
export function onReturn(listener: () => void, isQuiet: () => boolean): () => void {
  const page = globalThis as Place;
  if (!('onLine' in (page.navigator ?? {}))) return () => {};
  const { document } = page;
  const onShown = () => {
    if (document?.visibilityState === 'visible' && isQuiet()) listener();
  };
  const onCached = (event: Event) => {
    if ((event as Event & { persisted?: boolean }).persisted) listener();
  };
  const heard: [Partial<EventTarget> | undefined, string, (event: Event) => void][] = [
    [page, 'online', listener],
    [page, 'pageshow', onCached],
    [document, 'resume', listener],
    [document, 'visibilitychange', onShown],
  ];
  for (const [target, name, hear] of heard) target?.addEventListener?.(name, hear);
  return () => {
    for (const [target, name, hear] of heard) target?.removeEventListener?.(name, hear);
  };
}
