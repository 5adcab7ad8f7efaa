import { readFileSync, writeFileSync } from 'node:fs';

// Writes facts of package.json into the sources: the version, for traces, and the homepage, for errors.
const { name, version, homepage } = JSON.parse(readFileSync('package.json', 'utf8'));

const path = 'src/library.ts';
const stamp = (constant, text) => {
  const declaration = new RegExp(`(?<=export const ${constant}[^']*)'[^']*'`);
  writeFileSync(path, readFileSync(path, 'utf8').replace(declaration, `'${text}'`));
};

stamp('libraryName', `${name}@${version}`);
stamp('documentation', homepage?.replace(/\/$/, '') ?? `node_modules/${name}/docs`);
