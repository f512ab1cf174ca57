import { Suspense } from 'react';
import { Link, usePath } from './address.tsx';
import { ScreenBoundary } from './boundary.tsx';
import { useComanda } from './comanda.tsx';
import { FindAnything } from './find-anything.tsx';
import { Icon, Mark } from './icons.tsx';
import { useTexts } from './language.tsx';
import { Leaving } from './leaving.tsx';
import { LiveProvider, LiveSign } from './live.tsx';
import { useFollowedLocation } from './location.ts';
import { useAskBeforeLeaving } from './once.ts';
import { screens } from './screens.ts';
import { Skeleton } from './skeleton.tsx';
import { frameTexts } from './texts.ts';
import { usePageTitle } from './title.ts';
import { UserMenu } from './user-menu.tsx';

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
  usePageTitle(shown === undefined || shown === screens.desk ? '' : texts[shown.title]);
  return (
    <LiveProvider>
      <header className="bar">
        {shown === screens.desk && (
          <button type="button" className="parts-button" popoverTarget="desk-parts" aria-label={texts.menu}>
            <Icon name="menu" />
          </button>
        )}
        <span className="brand">
          <Mark />
          <span>{texts.title}</span>
        </span>
        <strong className="place" title={session.location.name}>
          {session.location.name}
        </strong>
        {own.length > 1 && (
          <nav aria-label={texts.screens}>
            {own.map(({ path: to, title }) => (
              <Link key={to} to={to} isCurrent={shown?.path === to}>
                <Icon name={title} />
                {texts[title]}
              </Link>
            ))}
          </nav>
        )}
        <div className="end">
          <LiveSign />
          {session.screens.includes('desk') && <FindAnything />}
          <UserMenu isLeaving={onLeft !== undefined} onOut={onOut} />
        </div>
      </header>
      <main>
        {onLeft !== undefined ? (
          <Leaving onLeft={onLeft} />
        ) : shown === undefined ? (
          <h1 className="sentence">{texts.noScreen}</h1>
        ) : (
          <ScreenBoundary key={shown.path}>
            <Suspense fallback={<Skeleton />}>
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
