/** A program that must not compile, and the complaint of the compiler. */
export type WrongProgram = readonly [name: string, code: string, complaint: RegExp];

/** Programs that must not compile, by name. A comment behind the code is the complaint: `orders.fetch(); // 'fetch' does not exist`. */
export const wrongPrograms = (programs: Readonly<Record<string, string>>): readonly WrongProgram[] =>
  Object.entries(programs).map(([name, program]) => {
    const [, code, complaint] = /^(.*) \/\/ (.+)$/s.exec(program) ?? [];
    if (code === undefined || complaint === undefined)
      throw new Error(`the program "${name}" does not say what the compiler must say`);
    return [name, code, new RegExp(complaint)];
  });
