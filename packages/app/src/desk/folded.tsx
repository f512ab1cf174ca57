import { type ReactNode, useState } from 'react';

interface Props {
  summary: ReactNode;
  children: ReactNode;
}

/** A part of a page that is made when it is unfolded. */
export function Folded({ summary, children }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="more" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen && children}
    </details>
  );
}
