import { lazy, Suspense, useEffect, useState } from 'react';
import { Icon } from './icons.tsx';
import { useTexts } from './language.tsx';
import { frameTexts } from './texts.ts';

// Loaded when it is opened first: the board does without it.
const Palette = lazy(() => import('../desk/palette.tsx').then(({ Palette }) => ({ default: Palette })));

/** The button and the keys (Ctrl K, or Cmd K) that find a page, an order or a product. */
export function FindAnything() {
  const texts = useTexts(frameTexts);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const look = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      setOpen(true);
    };
    addEventListener('keydown', look);
    return () => removeEventListener('keydown', look);
  }, []);
  return (
    <>
      <button
        type="button"
        className="find-button"
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => setOpen(true)}
      >
        <Icon name="find" />
        <span>{texts.findAnything}</span>
        <kbd>Ctrl K</kbd>
      </button>
      {isOpen && (
        <Suspense>
          <Palette onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
