import type { Permission } from '@comanda/client';
import { useTexts } from '../frame/language.tsx';
import { permissionTexts } from './permission-texts.ts';
import { byResource, calledIn } from './permissions-known.ts';

interface Props {
  offered: readonly Permission[];
  picked: ReadonlySet<Permission>;
  onChange(picked: Set<Permission>): void;
}

/** Permissions by their resources, each a box with what it lets a key do. */
export function PermissionList({ offered, picked, onChange }: Props) {
  const { resources, permissions: sentences } = useTexts(permissionTexts);
  const toggled = (permission: Permission) => {
    const next = new Set(picked);
    if (!next.delete(permission)) next.add(permission);
    onChange(next);
  };
  return byResource(offered).map(([resource, own]) => (
    <fieldset key={resource}>
      <legend>{calledIn(resources, resource)}</legend>
      {own.map((permission) => (
        <label key={permission} className="check">
          <input type="checkbox" checked={picked.has(permission)} onChange={() => toggled(permission)} />
          {sentences[permission]} <code className="quiet">{permission}</code>
        </label>
      ))}
    </fieldset>
  ));
}
