import { type UseMutationOptions, useMutation } from '@tanstack/react-query';
import { useRef } from 'react';

/** A mutation that is begun once: of a double tap, the second comes before the button is drawn as disabled. */
export function useAct<Result, Input = void>(options: UseMutationOptions<Result, Error, Input>) {
  const { mutateAsync, isPending, error, data } = useMutation(options);
  const isUnderWay = useRef(false);
  const act = (input: Input): void => {
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    const end = () => {
      isUnderWay.current = false;
    };
    // Its refusal is in `error`, and reported by `onError`.
    mutateAsync(input).then(end, end);
  };
  return { act, isPending, error, data };
}
