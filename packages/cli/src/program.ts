import { isProgram, main } from './main.ts';

// The entry of dist/comanda.js in a tree without extras/operator.
export { main };

if (isProgram(import.meta.url)) process.exitCode = await main(process.argv.slice(2));
