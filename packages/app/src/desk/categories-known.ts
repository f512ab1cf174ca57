import { listAll } from '@comanda/client';
import { useQuery } from '@tanstack/react-query';
import { useComanda } from '../frame/comanda.tsx';
import { useGranted } from '../frame/granted.ts';

/** All categories, in the order of the menu, for what is chosen from them; none for a key that may not read them. */
export function useCategories() {
  const { comanda } = useComanda();
  const may = useGranted().may?.('categories:read') === true;
  const { data = [] } = useQuery({
    queryKey: ['categories', 'all'],
    enabled: may,
    queryFn: async ({ signal }) => {
      const all: { value: string; label: string }[] = [];
      for await (const { id, name } of listAll(comanda.categories.list, {}, { signal }))
        all.push({ value: id, label: name });
      return all;
    },
  });
  return data;
}
