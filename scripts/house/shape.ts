import { globSync, readFileSync } from 'node:fs';
import { parseSync, Visitor } from 'oxc-parser';

import { importsOf } from '../layers.js';

const isTest = /\.test(-d)?\.tsx?$|\/test-setup\.ts$/;

/** The library as installed by npm, without the studio. */
export const shippedFiles = globSync('{src,schemas,workflows,bin}/**/*.ts')
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => !isTest.test(path))
  .map((path) => {
    const source = readFileSync(path, 'utf8');
    const { comments, module, program } = parseSync(path, source);
    return { path, source, comments, module, program };
  });
type File = (typeof shippedFiles)[number];

/** Lines of code: neither blank nor comment. */
const codeLines = ({ source, comments }: File): number => {
  const parts: string[] = [];
  let from = 0;
  for (const { start, end } of comments) {
    parts.push(source.slice(from, start), source.slice(start, end).replaceAll(/[^\n]/g, ''));
    from = end;
  }
  parts.push(source.slice(from));
  return parts
    .join('')
    .split('\n')
    .filter((line) => line.trim() !== '').length;
};

/** Names that a file declares and exports; re-exports do not count. */
const exportedDeclarations = ({ module }: File): number =>
  module.staticExports.flatMap(({ entries }) => entries).filter(({ moduleRequest }) => !moduleRequest).length;

/** Type assertions, without `as const`. */
const casts = ({ program }: File): number => {
  let found = 0;
  new Visitor({
    TSAsExpression: ({ typeAnnotation }) => {
      const isConst =
        typeAnnotation.type === 'TSTypeReference' &&
        typeAnnotation.typeName.type === 'Identifier' &&
        typeAnnotation.typeName.name === 'const';
      if (!isConst) found += 1;
    },
  }).visit(program);
  return found;
};

/** The records of a run that its driver and its activities change. */
const runRecords = /^(?:Run|Attempt|AttemptReply|RunState|GuardedState)$/;

/** Fields of run records without `readonly`. */
const mutableFields = ({ path, program }: File): number => {
  let found = 0;
  if (/^src\/(?:loop|ai-sdk)\//.test(path))
    new Visitor({
      TSInterfaceDeclaration: ({ id, body }) => {
        if (!runRecords.test(id.name)) return;
        found += body.body.filter((member) => member.type === 'TSPropertySignature' && !member.readonly).length;
      },
    }).visit(program);
  return found;
};

/** The longest chain of imports, types included, as paths from its first file to its last. There are no cycles. */
const longestChain = (): string[] => {
  const sources = new Map(shippedFiles.map((file) => [file.path, file]));
  const chains = new Map<string, string[]>();
  const chainFrom = (path: string): string[] => {
    const known = chains.get(path);
    if (known) return known;
    const file = sources.get(path);
    if (!file) return [];
    const chain = [path, ...longest(importsOf(file).map(chainFrom))];
    chains.set(path, chain);
    return chain;
  };
  return longest(shippedFiles.map(({ path }) => chainFrom(path)));
};

const longest = (chains: readonly string[][]): string[] =>
  chains.reduce<string[]>((best, chain) => (chain.length > best.length ? chain : best), []);

/** The figures that need no run. */
export const shapeFigures = () => {
  const sum = (count: (file: File) => number, files = shippedFiles): number =>
    files.reduce((total, file) => total + count(file), 0);
  const inSrc = shippedFiles.filter(({ path }) => path.startsWith('src/'));
  const lines = sum(codeLines, inSrc);
  const perThousand = (count: number): number => Number(((count * 1000) / lines).toFixed(1));
  const [exported, cast] = [sum(exportedDeclarations, inSrc), sum(casts, inSrc)];
  const names = readFileSync('test/docs/public-names.txt', 'utf8').split('\n');
  return {
    'shipped lines of code': sum(codeLines),
    'lines of code in src': lines,
    'exported declarations in src': exported,
    'exported declarations per 1,000 lines of src': perThousand(exported),
    'casts in src': cast,
    'casts per 1,000 lines of src': perThousand(cast),
    'mutable fields of run records': sum(mutableFields),
    'public names': names.filter((line) => /^ +\S/.test(line)).length,
    'longest import chain': longestChain().length,
    'words of the README': readFileSync('README.md', 'utf8').split(/\s+/).length,
  };
};
