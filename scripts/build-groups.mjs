// node scripts/build-groups.mjs <group> …: builds the bundles of these groups.
import { build } from './build.mjs';

try {
  await Promise.all(process.argv.slice(2).map(build));
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
