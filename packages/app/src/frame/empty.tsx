import type { ReactNode } from 'react';

interface Props {
  title: string;
  /** What the person can do next. */
  children?: ReactNode;
}

/** Says that there is nothing here, and what to do next. */
export function EmptyState({ title, children }: Props) {
  return (
    <div className="empty">
      <p>
        <strong>{title}</strong>
      </p>
      {children !== undefined && <div className="quiet">{children}</div>}
    </div>
  );
}
