import type { Permission } from '@comanda/client';
import { useQuery } from '@tanstack/react-query';
import { useComanda } from './comanda.tsx';

/**
 * The permissions of the key: `may` is undefined until they are known. `grants` are its grants: `*` or `orders:*`,
 * too.
 */
export function useGranted(): {
  may: ((permission: Permission) => boolean) | undefined;
  grants: readonly string[];
  error: unknown;
} {
  const { comanda } = useComanda();
  const { data, error } = useQuery({
    queryKey: ['granted'],
    queryFn: ({ signal }) => comanda.limits.get.query(undefined, { signal }),
  });
  return {
    may: data && ((permission) => data.effective_permissions.includes(permission)),
    grants: data?.permissions ?? [],
    error,
  };
}
