import { setAlerts, useAlerts } from './alerts.ts';
import { useComanda } from './comanda.tsx';
import { useTexts } from './language.tsx';
import { LanguageSwitch } from './language-switch.tsx';
import { frameTexts } from './texts.ts';

interface Props {
  isLeaving: boolean;
  onOut(): void;
}

/** Who is signed in, the language, whether new orders sound, and the way out. A popover of the browser: it costs the board no bytes, and opens offline. */
export function UserMenu({ isLeaving, onOut }: Props) {
  const texts = useTexts(frameTexts);
  const { name, location, screens } = useComanda().session;
  const alerts = useAlerts();
  return (
    <>
      <button
        type="button"
        className="user-menu"
        popoverTarget="user-menu"
        aria-label={texts.signedInAs(name)}
        title={texts.signedInAs(name)}
      >
        <span className="avatar" aria-hidden="true">
          {[...name][0]}
        </span>
      </button>
      <div id="user-menu" className="menu" popover="auto">
        <p>
          <strong>{name}</strong>
          <span className="quiet">{location.name}</span>
        </p>
        <div className="choice">
          <span aria-hidden="true">{texts.language}</span>
          <LanguageSwitch />
        </div>
        {screens.includes('board') && (
          <label className="choice">
            {texts.alerts}
            <input type="checkbox" checked={alerts} onChange={({ target }) => setAlerts(target.checked)} />
          </label>
        )}
        <button type="button" className="sign-out" onClick={onOut} disabled={isLeaving}>
          {texts.signOut}
        </button>
      </div>
    </>
  );
}
