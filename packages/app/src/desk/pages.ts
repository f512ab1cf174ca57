import { type QueryKey, useInfiniteQuery } from '@tanstack/react-query';

/** A page as every list of the API answers. */
interface Page<Row> {
  data: Row[];
  pagination: { offset: number; total: number };
}

/** Rows of a list, as many pages of them as were asked for. */
export interface Rows<Row> {
  /** Undefined until the first page is there. */
  data: Row[] | undefined;
  total: number;
  error: unknown;
  /** Reads one page more; undefined when all rows are there. */
  more?: () => void;
  isReading: boolean;
}

/** Reads a list page by page, each when it is asked for. Pages that are there are read again together, in their order. */
export function usePages<Row>(
  queryKey: QueryKey,
  read: (offset: number, signal: AbortSignal) => Promise<Page<Row>>,
  { refetchEveryMs }: { refetchEveryMs?: (rows: readonly Row[]) => number | false } = {},
): Rows<Row> {
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    initialPageParam: 0,
    getNextPageParam: ({ data, pagination: { offset, total } }) =>
      data.length > 0 && offset + data.length < total ? offset + data.length : undefined,
    refetchInterval: ({ state }) =>
      refetchEveryMs?.(state.data?.pages.flatMap(({ data }) => data) ?? []) ?? false,
  });
  return {
    data: query.data?.pages.flatMap(({ data }) => data),
    total: query.data?.pages.at(-1)?.pagination.total ?? 0,
    error: query.error,
    ...(query.hasNextPage && { more: () => void query.fetchNextPage() }),
    isReading: query.isFetchingNextPage,
  };
}
