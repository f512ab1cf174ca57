import { Suspense } from 'react';
import { Link, usePath } from './address.tsx';
import { ScreenBoundary } from './boundary.tsx';
import { useComanda } from './comanda.tsx';
import { useTexts } from './language.tsx';
import { LanguageSwitch } from './language-switch.tsx';
import { Leaving } from './leaving.tsx';
import { LiveProvider, LiveSign } from './live.tsx';
import { useFollowedLocation } from './location.ts';
import { useAskBeforeLeaving } from './once.ts';
import { screens } from './screens.ts';
import { frameTexts } from './texts.ts';

interface Props {
  /** Called once the session has its answers; given while a person leaves it. */
  onLeft: (() => void) | undefined;
  onOut(): void;
}

/** The bar, and the screen that the address names: the first of the session's where it names none. */
export function Shell({ onLeft, onOut }: Props) {
  const texts = useTexts(frameTexts);
  const { session } = useComanda();
  const path = usePath();
  useFollowedLocation();
  useAskBeforeLeaving();
  const own = session.screens.map((name) => screens[name]);
  const shown = path === '/app' || path === '/app/' ? own[0] : own.find((screen) => isAt(path, screen.path));
  return (
    <LiveProvider>
      <header className="bar">
        <strong className="place">{session.location.name}</strong>
        <div className="controls">
          <nav aria-label={texts.screens}>
            {own.map(({ path: to, title }) => (
              <Link key={to} to={to} isCurrent={shown?.path === to}>
                {texts[title]}
              </Link>
            ))}
          </nav>
          <LiveSign />
          <LanguageSwitch />
          <button
            type="button"
            onClick={onOut}
            disabled={onLeft !== undefined}
            title={texts.signedInAs(session.name)}
          >
            {texts.signOut}
          </button>
        </div>
      </header>
      <main>
        {onLeft !== undefined ? (
          <Leaving onLeft={onLeft} />
        ) : shown === undefined ? (
          <h1 className="sentence">{texts.noScreen}</h1>
        ) : (
          <ScreenBoundary key={shown.path}>
            <Suspense fallback={<p>{texts.loading}</p>}>
              <shown.component />
            </Suspense>
          </ScreenBoundary>
        )}
      </main>
    </LiveProvider>
  );
}

/** A screen may have addresses below its own: `/app/desk/orders/12`. */
const isAt = (path: string, of: string): boolean => path === of || path.startsWith(`${of}/`);
