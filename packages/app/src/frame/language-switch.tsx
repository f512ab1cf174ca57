import { type Language, languages, useLanguage, useTexts } from './language.tsx';
import { frameTexts } from './texts.ts';

/** Chooses the language. */
export function LanguageSwitch() {
  const { language, choose } = useLanguage();
  const texts = useTexts(frameTexts);
  return (
    <select
      className="language"
      aria-label={texts.language}
      value={language}
      onChange={({ target }) => choose(target.value as Language)}
    >
      {Object.entries(languages).map(([tag, name]) => (
        <option key={tag} value={tag} lang={tag}>
          {name}
        </option>
      ))}
    </select>
  );
}
