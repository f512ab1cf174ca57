import { useState } from 'react';
import { useTexts } from '../frame/language.tsx';
import { useNotify } from '../frame/notices.tsx';
import { deskTexts } from './texts.ts';

interface Shown {
  /** What it is of. */
  of: string;
  text: string;
}

/** Texts that are shown once, the newest first; none displaces another. */
export function useShownOnce() {
  const [all, setAll] = useState<readonly Shown[]>([]);
  return {
    all,
    show: (of: string, text: string) => setAll((before) => [{ of, text }, ...before]),
    putAway: (gone: Shown) => setAll((before) => before.filter((each) => each !== gone)),
  };
}

interface Props {
  title: string;
  all: readonly Shown[];
  putAway(shown: Shown): void;
}

/** Texts that are shown once: a key, a secret. Each is gone when it is put away. */
export function ShownOnce({ title, all, putAway }: Props) {
  const texts = useTexts(deskTexts);
  const notify = useNotify();
  const copy = async (text: string) => {
    // Without TLS a browser has no clipboard for a page.
    const copied = await navigator.clipboard?.writeText(text).then(
      () => true,
      () => false,
    );
    notify(title, copied ? texts.copied : texts.notCopied);
  };
  return all.map((shown) => (
    <section key={shown.text} className="once" aria-label={title}>
      <p>
        <strong>
          {title}: {shown.of}.
        </strong>{' '}
        {texts.once}
      </p>
      <output>{shown.text}</output>
      <footer>
        <button type="button" onClick={() => copy(shown.text)}>
          {texts.copy}
        </button>
        <button type="button" onClick={() => putAway(shown)}>
          {texts.away}
        </button>
      </footer>
    </section>
  ));
}
