import { useEffect, useRef } from 'react';
import { Link, usePath } from '../frame/address.tsx';
import { useGranted } from '../frame/granted.ts';
import { useTexts } from '../frame/language.tsx';
import { useRefusal } from '../frame/refusal.ts';
import { Unread } from '../frame/skeleton.tsx';
import { frameTexts } from '../frame/texts.ts';
import { usePageTitle } from '../frame/title.ts';
import { ShownOnce } from './once.tsx';
import { type Part, parts } from './parts.ts';
import { deskTexts } from './texts.ts';

const base = '/app/desk';

/** The desk: for deeds, as Studio is for tables. Each part is shown to keys that may see it. */
export function Desk() {
  const texts = useTexts(deskTexts);
  const frame = useTexts(frameTexts);
  const say = useRefusal();
  const path = usePath();
  const { may, error } = useGranted();
  const own = may === undefined ? [] : parts.filter(({ needs }) => may(needs));
  const shown = own.find((part) => path === part.path || path.startsWith(`${part.path}/`)) ?? own[0];
  const title = shown === undefined ? frame.desk : texts.parts[shown.title];
  usePageTitle(title);
  if (may === undefined)
    return (
      <>
        <h1 className="unseen">{frame.desk}</h1>
        <Unread {...{ error, say }} />
      </>
    );
  return (
    <div className="desk">
      <PartsMenu own={own} shown={shown} />
      <div className="part">
        <h1>
          {shown === undefined || path === shown.path || path === '/app' || path === base ? (
            title
          ) : (
            <Link to={shown.path}>{title}</Link>
          )}
        </h1>
        <ShownOnce />
        {shown === undefined ? <p>{texts.nothing}</p> : <shown.component />}
      </div>
    </div>
  );
}

/** The parts by group: a side bar, and on a narrow screen a drawer that the button in the header opens. */
function PartsMenu({ own, shown }: { own: readonly Part[]; shown: Part | undefined }) {
  const texts = useTexts(deskTexts);
  const path = usePath();
  const menu = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the drawer closes when another page is opened.
  useEffect(() => {
    // An old browser has no popovers, and shows the parts above the page.
    if (menu.current?.hidePopover !== undefined && menu.current.matches(':popover-open'))
      menu.current.hidePopover();
  }, [path]);
  return (
    <nav ref={menu} id="desk-parts" className="parts" popover="auto" aria-label={texts.menu}>
      {Object.entries(texts.groups).map(([group, name]) => {
        const inGroup = own.filter((part) => part.group === group);
        return (
          inGroup.length > 0 && (
            <div key={group}>
              <p>{name}</p>
              {inGroup.map(({ path: to, title }) => (
                <Link key={to} to={to} isCurrent={shown?.path === to}>
                  {texts.parts[title]}
                </Link>
              ))}
            </div>
          )
        );
      })}
    </nav>
  );
}
