import type { Permission } from '@comanda/client';
import { useQuery } from '@tanstack/react-query';
import { useComanda } from './comanda.tsx';

/** What the key may do: `may` is undefined until that is known. */
export function useGranted(): { may: ((permission: Permission) => boolean) | undefined; error: unknown } {
  const { comanda } = useComanda();
  const { data, error } = useQuery({
    queryKey: ['granted'],
    queryFn: ({ signal }) => comanda.limits.get.query(undefined, { signal }),
  });
  return { may: data && ((permission) => data.effective_permissions.includes(permission)), error };
}
