import { useTexts } from './language.tsx';
import { useIsOnline } from './live.tsx';
import { frameTexts } from './texts.ts';

/** Gray bars in the place of data that is being read. Without a connection, a sentence that nothing is known yet. */
export function Skeleton({ lines = 4 }: { lines?: number }) {
  const texts = useTexts(frameTexts);
  const isOnline = useIsOnline();
  if (!isOnline) return <p className="quiet nothing-known">{texts.nothingKnown}</p>;
  return (
    <div className="skeleton" aria-busy="true">
      <span className="unseen">{texts.loading}</span>
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: bars without content.
        <div key={line} />
      ))}
    </div>
  );
}

/** What is shown while a query has no data: the error in words, or a skeleton. */
export function Unread({
  error,
  say,
  lines,
}: {
  error: unknown;
  say(error: unknown): string;
  lines?: number;
}) {
  return error ? (
    <p className="fault" role="alert">
      {say(error)}
    </p>
  ) : (
    <Skeleton {...(lines !== undefined && { lines })} />
  );
}
