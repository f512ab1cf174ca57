import { type ReactNode, useSyncExternalStore } from 'react';

const moved = 'comanda:moved';

/** The path of the address, which selects the screen. */
export function usePath(): string {
  return useSyncExternalStore(subscribe, () => location.pathname);
}

/** Goes to another address of the app without a page load. */
export function goTo(path: string): void {
  history.pushState(null, '', path);
  dispatchEvent(new Event(moved));
}

/** A link within the app; `aria-current` marks the one that is shown. */
export function Link({ to, isCurrent, children }: { to: string; isCurrent?: boolean; children: ReactNode }) {
  return (
    <a
      href={to}
      aria-current={isCurrent ? 'page' : undefined}
      onClick={(event) => {
        // Another tab or window is the browser's to open.
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
        event.preventDefault();
        goTo(to);
      }}
    >
      {children}
    </a>
  );
}

function subscribe(listener: () => void): () => void {
  addEventListener('popstate', listener);
  addEventListener(moved, listener);
  return () => {
    removeEventListener('popstate', listener);
    removeEventListener(moved, listener);
  };
}
