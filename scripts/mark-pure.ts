import { decode, encode, type SourceMapSegment } from '@jridgewell/sourcemap-codec';
import { parseSync, Visitor, type Program } from 'oxc-parser';
import type { Plugin } from 'rolldown';
import type { Mapped } from './break-lines.js';

/**
 * Marks all constants at the top of modules as free of side effects. `sideEffects: false` in package.json marks only
 * whole files: once modules share a file, an application that imports one guard would carry all of them. A called function computes the
 * value, because minifiers would move a call in place and lose its mark.
 */
export const markPure: Plugin = {
  name: 'mark-pure',
  resolveId: { filter: { id: /^interlock:computed$/ }, handler: (id) => ({ id: `\0${id}`, moduleSideEffects: false }) },
  load: { filter: { id: /^\0interlock:computed$/ }, handler: () => 'export const computed = (compute) => compute();' },
  transform: {
    filter: { id: { include: /\.ts$/, exclude: /node_modules/ } },
    handler: (code, id) => {
      const places = initializersIn(id, code).toSorted((a, b) => b.start - a.start);
      if (places.length === 0) return undefined;
      const marked = places.reduce(
        (text, { start, end }) =>
          `${text.slice(0, start)}/* @__PURE__ */ __computed(() => (${text.slice(start, end)}))${text.slice(end)}`,
        code,
      );
      // The lines stay unchanged, so our source maps stay valid.
      return { code: `import { computed as __computed } from 'interlock:computed'; ${marked}`, map: null };
    },
  },
};

interface Place {
  readonly start: number;
  readonly end: number;
}

/** Node types that compute a value. */
const computing = /^(?:Call|New|TaggedTemplate|Object|Array|Member|Chain|Template|Binary|Conditional|TSAs|TSSatisfies)/;

const initializersIn = (id: string, code: string): Place[] =>
  parseSync(id, code).program.body.flatMap((statement) => {
    const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    if (declaration?.type !== 'VariableDeclaration') return [];
    return declaration.declarations.flatMap(({ init }) => (init && computing.test(init.type) ? [init] : []));
  });

const longMark = '/* @__PURE__ */ ';
const shortMark = '/*#__PURE__*/';

/**
 * Code with the marks in their shortest form, and without those inside functions, which bundlers do not remove piece by piece. The functions
 * that compute constants get parentheses: V8 compiles such a function at once, and parses any other one twice.
 */
export const shortenMarks = ({ code, map }: Mapped): Mapped => {
  const { program } = parseSync('chunk.js', code);
  const functions = outermostFunctions(program);
  const isInFunction = (at: number): boolean => functions.some(({ start, end }) => start <= at && at < end);
  const marks = [...code.matchAll(/\/\* @__PURE__ \*\/ /g)].map(({ index }) => ({
    at: index,
    removed: longMark.length,
    text: !isInFunction(index) ? shortMark : /[\w$]/.test(code.charAt(index - 1)) ? ' ' : '', // as in `return new Set`
  }));
  const parentheses = computationsIn(program, code).flatMap(({ start, end }) => [
    { at: start, removed: 0, text: '(' },
    { at: end, removed: 0, text: ')' },
  ]);
  return edited({ code, map }, [...marks, ...parentheses]);
};

const outermostFunctions = (program: Program): Place[] => {
  const found: Place[] = [];
  const add = ({ start, end }: Place): void => {
    if (start >= (found.at(-1)?.end ?? 0)) found.push({ start, end });
  };
  new Visitor({ ArrowFunctionExpression: add, FunctionDeclaration: add, FunctionExpression: add }).visit(program);
  return found;
};

/** The functions that compute the marked constants of a bundled file. */
const computationsIn = (program: Program, code: string): Place[] =>
  program.body.flatMap((statement) => {
    if (statement.type !== 'VariableDeclaration') return [];
    return statement.declarations.flatMap(({ init }) => {
      if (init?.type !== 'CallExpression' || !code.startsWith(longMark, init.start - longMark.length)) return [];
      const [computation] = init.arguments;
      return computation?.type === 'ArrowFunctionExpression' && computation.params.length === 0 ? [computation] : [];
    });
  });

interface Edit {
  readonly at: number;
  readonly removed: number;
  readonly text: string;
}

/** Edits inside lines of code, with its source map. */
const edited = ({ code, map }: Mapped, edits: readonly Edit[]): Mapped => {
  const sorted = edits.toSorted((a, b) => a.at - b.at);
  const { mappings, ...rest } = JSON.parse(map) as { mappings: string };
  let [lineStart, index, text, from] = [0, 0, '', 0];
  const lines = code.split('\n');
  const shifted = decode(mappings).map((segments, at) => {
    let shift = 0;
    const moved = segments.map(([column, ...source]): SourceMapSegment => {
      for (let next = sorted[index]; next && next.at < lineStart + column; next = sorted[(index += 1)])
        shift += next.text.length - next.removed;
      return [column + shift, ...source] as SourceMapSegment;
    });
    lineStart += (lines[at]?.length ?? 0) + 1;
    while ((sorted[index]?.at ?? Infinity) < lineStart) index += 1;
    return moved;
  });
  for (const { at, removed, text: added } of sorted) {
    text += code.slice(from, at) + added;
    from = at + removed;
  }
  return { code: text + code.slice(from), map: JSON.stringify({ ...rest, mappings: encode(shifted) }) };
};
