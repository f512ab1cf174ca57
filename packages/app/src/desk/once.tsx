import { useTexts } from '../frame/language.tsx';
import { deskTexts } from './texts.ts';

/** A text that is shown once: a key, a secret. It is gone when it is put away. */
export function ShownOnce({ title, text, onAway }: { title: string; text: string; onAway(): void }) {
  const texts = useTexts(deskTexts);
  return (
    <section className="once" aria-label={title}>
      <p>
        <strong>{title}</strong> {texts.once}
      </p>
      <output>{text}</output>
      <footer>
        <button type="button" onClick={() => void navigator.clipboard.writeText(text)}>
          {texts.copy}
        </button>
        <button type="button" onClick={onAway}>
          {texts.away}
        </button>
      </footer>
    </section>
  );
}
