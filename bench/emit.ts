import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));

/** Inside `node_modules`, so that packages are found from there and nothing else looks at it; of this run alone. */
export const emitted = join(root, 'node_modules/.cache/interlock-bench', String(process.pid));

const isMeasured = (file: string): boolean => !/\.test(-d)?\.ts$|\/node_modules\//.test(file);

/** Writes the sources as JavaScript: measured is what is shipped, types are stripped and nothing else. */
export const emit = (): void => {
  process.removeAllListeners('warning'); // that stripping types is an experiment of Node
  process.once('exit', () => rmSync(emitted, { recursive: true, force: true }));
  for (const file of globSync('{src,schemas,workflows,bench}/**/*.ts', { cwd: root }).filter(isMeasured)) {
    const target = join(emitted, file.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, stripTypeScriptTypes(readFileSync(join(root, file), 'utf8'), { mode: 'transform' }));
  }
  writeFileSync(join(emitted, 'package.json'), '{ "type": "module" }');
};
