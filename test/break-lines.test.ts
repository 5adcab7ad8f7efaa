import { decode, encode, type SourceMapSegment } from '@jridgewell/sourcemap-codec';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { breakLines } from '../scripts/break-lines.js';
import { shortenMarks } from '../scripts/mark-pure.js';

const declarators = Array.from(
  { length: 60 },
  (_, index) => `v${index}=(a=>{let b=a+${index};return{b,c:\`x\${b}\`}})(${index})`,
);
const code = `const ${declarators.join(',')};class A{static n=1;m(){if(A.n)for(;;)break;return/[,;]/.test(\`;\`)}}\nout(${declarators.map((_, index) => `v${index}.c`).join('+')},new A().m());`;

/** A segment at the start of each name. */
const mappings = code
  .split('\n')
  .map((line, at) => Array.from(line.matchAll(/\w+/g), ({ index }): SourceMapSegment => [index, 0, at, index]));
const broken = breakLines({ code, map: JSON.stringify({ version: 3, file: 'a.js', mappings: encode(mappings) }) });

const outputOf = (program: string): unknown[] => {
  let output: unknown[] = [];
  runInNewContext(program, { out: (...values: unknown[]) => (output = values) });
  return output;
};

it('breaks long lines without changing the program', () => {
  expect(Math.max(...code.split('\n').map(({ length }) => length))).toBeGreaterThan(2_000);
  expect(
    Math.max(
      ...broken.code
        .split('\n')
        .slice(0, -1)
        .map(({ length }) => length),
    ),
  ).toBeLessThanOrEqual(200);
  expect(outputOf(broken.code)).toEqual(outputOf(code));
  expect(outputOf(code)[1]).toBe(true);
});

it('keeps each mapping with its name', () => {
  const lines = broken.code.split('\n');
  const { mappings: encoded, ...rest } = JSON.parse(broken.map) as { mappings: string };
  const segments = decode(encoded).flatMap((found, line) => found.map((segment) => ({ segment, line })));
  const original = code.split('\n');
  expect(rest).toEqual({ version: 3, file: 'a.js' });
  expect(segments).toHaveLength(mappings.flat().length);
  const moved = segments.filter(({ segment: [column, , at = -1, from], line }) => {
    const wordAt = (text: string | undefined, index: number | undefined) => /^\w+/.exec(text?.slice(index) ?? '')?.[0];
    return wordAt(lines[line], column) !== wordAt(original[at], from);
  });
  expect(moved).toEqual([]);
});

it('keeps marks only where a bundler can use them', () => {
  const mark = '/* @__PURE__ */ ';
  const marked = `const a=${mark}c(()=>${mark}new Map),b=${mark}new Set,d=()=>{let e=${mark}new Map;return${mark}new Set(e)};`;
  expect(shortenMarks({ code: marked, map: JSON.stringify({ version: 3, mappings: '' }) }).code).toBe(
    'const a=/*#__PURE__*/c((()=>new Map)),b=/*#__PURE__*/new Set,d=()=>{let e=new Map;return new Set(e)};',
  );
});
