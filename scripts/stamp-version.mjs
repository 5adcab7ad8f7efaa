import { readFileSync, writeFileSync } from 'node:fs';

// Writes facts of package.json into the sources: the version, for traces, and the homepage, for errors.
const { name, version, homepage } = JSON.parse(readFileSync('package.json', 'utf8'));

const stamp = (path, text) => writeFileSync(path, readFileSync(path, 'utf8').replace(/'[^']*'/, `'${text}'`));

stamp('src/trace/library-version.ts', `${name}@${version}`);
stamp('src/documentation.ts', homepage?.replace(/\/$/, '') ?? `node_modules/${name}/docs`);
