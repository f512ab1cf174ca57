import { AsyncLocalStorage } from 'node:async_hooks';

/** The output of a program that runs in this process. */
export interface Output {
  stdout: string;
  stderr: string;
}

const outputs = new AsyncLocalStorage<Output>();
for (const name of ['stdout', 'stderr'] as const) {
  const write = process[name].write.bind(process[name]) as (...given: unknown[]) => boolean;
  process[name].write = (text: unknown, ...more: unknown[]) => {
    const output = outputs.getStore();
    if (output === undefined) return write(text, ...more);
    output[name] += String(text);
    return true;
  };
}

/** Calls a function. What it prints, then and later, goes to the output. */
export const capture = <Result>(output: Output, work: () => Result): Result => outputs.run(output, work);
