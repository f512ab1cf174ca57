import { Menu } from '@base-ui/react/menu';
import { useComanda } from './comanda.tsx';
import { Icon } from './icons.tsx';
import { type Language, languages, useLanguage, useTexts } from './language.tsx';
import { frameTexts } from './texts.ts';

interface Props {
  isLeaving: boolean;
  onOut(): void;
}

/** Who is signed in, the language, and the way out. */
export function UserMenu({ isLeaving, onOut }: Props) {
  const texts = useTexts(frameTexts);
  const { language, choose } = useLanguage();
  const { name, location } = useComanda().session;
  return (
    <Menu.Root>
      <Menu.Trigger className="user-menu" aria-label={texts.signedInAs(name)} title={texts.signedInAs(name)}>
        <span className="avatar" aria-hidden="true">
          {[...name][0]}
        </span>
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner className="menu-positioner" align="end" sideOffset={6}>
          <Menu.Popup className="menu">
            <div className="who">
              <strong>{name}</strong>
              <span>{location.name}</span>
            </div>
            <hr />
            <Menu.RadioGroup
              aria-label={texts.language}
              value={language}
              onValueChange={(chosen: Language) => choose(chosen)}
            >
              {Object.entries(languages).map(([tag, called]) => (
                <Menu.RadioItem key={tag} value={tag} className="item language" lang={tag} closeOnClick>
                  <span className="check-mark">
                    <Icon name="check" />
                  </span>
                  {called}
                </Menu.RadioItem>
              ))}
            </Menu.RadioGroup>
            <hr />
            <Menu.Item className="item sign-out" onClick={onOut} disabled={isLeaving}>
              {texts.signOut}
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
