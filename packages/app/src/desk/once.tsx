import { useTexts } from '../frame/language.tsx';
import { useNotify } from '../frame/notices.tsx';
import { useShownOnce } from '../frame/once.ts';
import { deskTexts } from './texts.ts';

/**
 * Texts that are shown once: a key, a secret. They are above every part of the desk; each disappears when it is
 * dismissed.
 */
export function ShownOnce() {
  const { all, putAway } = useShownOnce();
  const texts = useTexts(deskTexts);
  const notify = useNotify();
  const copy = async (title: string, text: string) => {
    // Without TLS a browser has no clipboard for a page.
    const copied = await navigator.clipboard?.writeText(text).then(
      () => true,
      () => false,
    );
    notify(title, copied ? texts.copied : texts.notCopied);
  };
  return all.map(({ kind, of, text }) => (
    <section key={text} className="once" aria-label={texts[kind]}>
      <p>
        <strong>
          {texts[kind]}: {of}.
        </strong>{' '}
        {texts.once}
      </p>
      <output>{text}</output>
      <footer>
        <button type="button" onClick={() => copy(texts[kind], text)}>
          {texts.copy}
        </button>
        <button type="button" onClick={() => putAway(text)}>
          {texts.away}
        </button>
      </footer>
    </section>
  ));
}
