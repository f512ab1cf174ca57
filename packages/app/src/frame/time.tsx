import { useFormat } from './format.ts';
import { useNow } from './now.tsx';

interface Props {
  at: string;
}

const hourMs = 3_600_000;

/**
 * A moment in few words, on one line: `5 minutes ago` within an hour, else the time, with the day where that is not
 * today. The exact time is its title.
 */
export function Time({ at }: Props) {
  const format = useFormat();
  const isNear = Math.abs(Date.now() - Date.parse(at)) < hourMs;
  return (
    <time dateTime={at} title={format.exact(at)}>
      {isNear ? <Ago at={at} /> : format.short(at)}
    </time>
  );
}

// Of its own, so that only what changes by the minute follows the clock.
function Ago({ at }: Props) {
  const format = useFormat();
  return format.ago(at, useNow());
}

/** A moment to the second, with its day. */
export function ExactTime({ at }: Props) {
  return <time dateTime={at}>{useFormat().exact(at)}</time>;
}
