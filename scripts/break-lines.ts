import { decode, encode, type SourceMapSegment } from '@jridgewell/sourcemap-codec';
import { parseSync } from 'oxc-parser';

/** Code and its source map, as JSON. */
export interface Mapped {
  readonly code: string;
  readonly map: string;
}

const longest = 200;

/** Nodes that follow a `,`, `;`, `{` or `}`: a line break before them changes nothing. */
const breakable =
  /Statement$|Declaration$|^(VariableDeclarator|Property|PropertyDefinition|MethodDefinition|ImportSpecifier|ExportSpecifier)$/;

/**
 * Breaks long lines of minified code where this changes nothing. For an uncaught error Node prints the whole line that raised it before
 * the
 * error itself.
 */
export const breakLines = ({ code, map }: Mapped): Mapped => {
  const breaks = new Set(breaksIn(code));
  const { mappings, ...rest } = JSON.parse(map) as { mappings: string };
  return {
    code: insert(code, breaks),
    map: JSON.stringify({ ...rest, mappings: encode(shift(code, decode(mappings), breaks)) }),
  };
};

const breaksIn = (code: string): number[] => {
  const places = startsIn(code).toSorted((a, b) => a - b);
  const breaks: number[] = [];
  let lineStart = 0;
  for (const [index, place] of places.entries()) {
    const next = places[index + 1] ?? code.length;
    lineStart = Math.max(lineStart, code.lastIndexOf('\n', place - 1) + 1);
    if (next - lineStart <= longest || place === lineStart) continue;
    breaks.push(place);
    lineStart = place;
  }
  return breaks;
};

interface Node {
  readonly type: string;
  readonly start: number;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && 'start' in value;

const startsIn = (code: string): number[] => {
  const starts: number[] = [];
  const waiting: unknown[] = [parseSync('chunk.js', code).program];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (isNode(value) && breakable.test(value.type) && /[,;{}]/.test(code[value.start - 1] ?? '')) starts.push(value.start);
    if (typeof value === 'object' && value !== null)
      waiting.push(...Object.values(value).filter((each) => typeof each === 'object'));
  }
  return starts;
};

const insert = (code: string, breaks: ReadonlySet<number>): string => {
  let from = 0;
  const lines: string[] = [];
  for (const place of breaks) {
    lines.push(code.slice(from, place));
    from = place;
  }
  return [...lines, code.slice(from)].join('\n');
};

/** The mappings of each line, split at the line's breaks. */
const shift = (code: string, mappings: SourceMapSegment[][], breaks: ReadonlySet<number>): SourceMapSegment[][] => {
  let offset = 0;
  return code.split('\n').flatMap((line, index) => {
    const starts = [0, ...[...breaks].map((place) => place - offset).filter((column) => column > 0 && column < line.length)];
    offset += line.length + 1;
    const segments = mappings[index] ?? [];
    return starts.map((start, at) =>
      segments
        .filter(([column]) => column >= start && column < (starts[at + 1] ?? Infinity))
        .map(([column, ...source]) => [column - start, ...source] as SourceMapSegment),
    );
  });
};
