import { useEffect, useLayoutEffect } from 'react';
import { useComanda } from './comanda.tsx';

/** Names the page in the tab and the history of the browser: `Orders · Cantina Aurora · Comanda`. */
export function usePageTitle(title: string): void {
  const { name } = useComanda().session.location;
  useLayoutEffect(() => {
    document.title = [title, name, 'Comanda'].filter(Boolean).join(' · ');
  }, [title, name]);
}

/** Names the row of a page, once it is known, before the page's own title, until the row is left: `Order 12 · Orders · …`. */
export function useRowTitle(row: string | undefined): void {
  // After the title of the page, which is set in an earlier phase.
  useEffect(() => {
    if (row === undefined) return;
    const page = document.title;
    document.title = `${row} · ${page}`;
    return () => {
      document.title = page;
    };
  }, [row]);
}
