import { readFileSync, writeFileSync } from 'node:fs';

// Traces name the library that wrote them; this keeps its version in step with package.json.
const { name, version } = JSON.parse(readFileSync('package.json', 'utf8'));
const path = 'src/trace/library-version.ts';
const source = readFileSync(path, 'utf8');
writeFileSync(path, source.replace(/'[^']*'/, `'${name}@${version}'`));
