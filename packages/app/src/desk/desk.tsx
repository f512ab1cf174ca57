import { Link, usePath } from '../frame/address.tsx';
import { useGranted } from '../frame/granted.ts';
import { useTexts } from '../frame/language.tsx';
import { useRefusal } from '../frame/refusal.ts';
import { frameTexts } from '../frame/texts.ts';
import { ShownOnce } from './once.tsx';
import { parts } from './parts.ts';
import { deskTexts } from './texts.ts';

/** The desk: for deeds, as Studio is for tables. Each part is shown to keys that may see it. */
export function Desk() {
  const texts = useTexts(deskTexts);
  const frame = useTexts(frameTexts);
  const say = useRefusal();
  const path = usePath();
  const { may, error } = useGranted();
  if (may === undefined)
    return (
      <>
        <h1 className="unseen">{frame.desk}</h1>
        <p role={error ? 'alert' : undefined}>{error ? say(error) : frame.loading}</p>
      </>
    );
  const own = parts.filter(({ needs }) => may(needs));
  const shown = own.find((part) => path === part.path || path.startsWith(`${part.path}/`)) ?? own[0];
  return (
    <div className="desk">
      <nav aria-label={texts.menu}>
        {own.map(({ path: to, title }) => (
          <Link key={to} to={to} isCurrent={shown?.path === to}>
            {texts.parts[title]}
          </Link>
        ))}
      </nav>
      <h1 className="unseen">{shown === undefined ? frame.desk : texts.parts[shown.title]}</h1>
      <ShownOnce />
      {shown === undefined ? <p>{texts.nothing}</p> : <shown.component />}
    </div>
  );
}
