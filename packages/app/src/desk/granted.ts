import { useQuery } from '@tanstack/react-query';
import { useComanda } from '../frame/comanda.tsx';

/** What the key may do: `may` is undefined until that is known. */
export function useGranted(): { may: ((permission: string) => boolean) | undefined; error: unknown } {
  const { comanda } = useComanda();
  const { data, error } = useQuery({
    queryKey: ['granted'],
    queryFn: ({ signal }) => comanda.limits.get.query(undefined, { signal }),
  });
  return { may: data && mayBy(data.permissions), error };
}

// `orders:*` covers what orders have, `*` all.
const mayBy =
  (granted: readonly string[]) =>
  (permission: string): boolean =>
    [permission, `${permission.split(':')[0]}:*`, '*'].some((grant) => granted.includes(grant));
