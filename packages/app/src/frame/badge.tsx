import type { ReactNode } from 'react';

/** What a status means to the reader: done well, in progress, needs attention, went wrong, or no longer matters. */
export type Tone = 'good' | 'info' | 'wait' | 'bad' | 'quiet';

interface Props {
  tone?: Tone;
  /** A further class of the element, such as the status itself. */
  className?: string;
  children: ReactNode;
}

/** A word on a tinted ground. The word carries the meaning; the color repeats it. */
export function Badge({ tone = 'quiet', className = '', children }: Props) {
  return <span className={`badge ${tone} ${className}`.trimEnd()}>{children}</span>;
}
