import { createContext, type ReactNode, useContext, useState } from 'react';
import { useTexts } from './language.tsx';
import { frameTexts } from './texts.ts';

interface Notice {
  id: number;
  title: string;
  text: string;
}

/** Says something until it is closed, at most for so long. */
export type Notify = (title: string, text: string) => void;

const Context = createContext<Notify>(() => {});
const shownMs = 10_000;
let last = 0;

/** Says something in a corner, to screen readers at once: `notify('Order 12 stays', 'It has moved on meanwhile.')`. */
export const useNotify = (): Notify => useContext(Context);

/** Shows the notices. */
export function NoticeProvider({ children }: { children: ReactNode }) {
  const texts = useTexts(frameTexts);
  const [notices, setNotices] = useState<readonly Notice[]>([]);
  const drop = (gone: number) => setNotices((all) => all.filter(({ id }) => id !== gone));
  const notify: Notify = (title, text) => {
    last += 1;
    const id = last;
    setNotices((all) => [...all, { id, title, text }]);
    setTimeout(() => drop(id), shownMs);
  };
  return (
    <Context value={notify}>
      {children}
      <div className="notices" role="alert">
        {notices.map(({ id, title, text }) => (
          <div key={id} className="notice">
            <p>
              <strong>{title}</strong>
            </p>
            <p>{text}</p>
            <button type="button" aria-label={texts.close} onClick={() => drop(id)}>
              ✕
            </button>
          </div>
        ))}
      </div>
    </Context>
  );
}
