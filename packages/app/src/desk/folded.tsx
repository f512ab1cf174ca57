import { type ReactNode, useState } from 'react';

interface Props {
  summary: ReactNode;
  children: ReactNode;
}

/** A part of a page that is made when it is first unfolded. What was typed in it stays when it is folded. */
export function Folded({ summary, children }: Props) {
  const [isMade, setMade] = useState(false);
  const make = () => setMade(true);
  return (
    <details className="more" onToggle={make}>
      {/* The toggle event comes late: a quick Tab would pass the part by. */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: browsers make a summary a button. */}
      <summary onClick={make}>{summary}</summary>
      {isMade && children}
    </details>
  );
}
