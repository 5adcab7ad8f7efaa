import { existsSync } from 'node:fs';
import { enableCompileCache, registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * Runs our TypeScript with Node alone, which strips types: `./x.js` finds `./x.ts`, and `./x` in a package for bundlers finds `./x.js`.
 * Node keeps the compiled code for the next process. A process takes a third of the time that it takes with tsx.
 *
 *   node --import ./scripts/strip-types.mjs file.ts
 */
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/node', import.meta.url)));

const isPackaged = (url) => url.includes('/node_modules/');

/** The file that a relative import means, where Node itself finds none. */
const meant = (specifier, from) => {
  if (!specifier.startsWith('.') || !from?.startsWith('file:')) return undefined;
  const file = new URL(specifier, from);
  const changed = isPackaged(from) ? `${file.href}.js` : file.href.replace(/\.js$/, '.ts');
  return !existsSync(file) && existsSync(new URL(changed)) ? changed : undefined;
};

registerHooks({
  resolve: (specifier, context, next) => {
    const url = meant(specifier, context.parentURL);
    return url === undefined ? next(specifier, context) : { url, shortCircuit: true };
  },
});
