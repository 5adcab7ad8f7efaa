import { posix } from 'node:path';

import { parseSync, Visitor } from 'oxc-parser';

/**
 * The rooms, from the ground up. An import points down: a room may import the rooms of the floors before its own, never a room
 * beside it or above it; types count. A room is a folder or a single file; the longest name that fits a path is its room.
 */
const floors = [
  {
    rooms: [
      'schemas',
      'src/error-table',
      'src/errors',
      'src/integration',
      'src/attach-response',
      'src/error-response',
      'src/option-kind',
      'src/verdict',
      'src/ui',
      'src/durable/journal',
      'src/durable/memory-board',
    ],
    open: true,
  },
  { rooms: ['src/phase'] },
  { rooms: ['src/trace'] },
  { rooms: ['src/guard', 'src/otel'] },
  { rooms: ['src/pipeline'] },
  { rooms: ['src/release', 'src/plain'] },
  { rooms: ['src/loop'] },
  { rooms: ['src/mastra', 'src/durable'] },
  { rooms: ['src/ai-sdk'] },
  { rooms: ['src/index'] },
  { rooms: ['src/testing', 'workflows'] },
  { rooms: ['src/eval'] },
  { rooms: ['playground'] },
  { rooms: ['bin'] },
  { rooms: ['test', 'bench', 'scripts'] },
] as const satisfies readonly Floor[];

/** The rooms inside `src/mastra`, by the same rule. The class of the agent has a floor of its own: it starts durable runs. */
const mastraFloors = [
  {
    rooms: [
      'src/mastra/plain-object',
      'src/mastra/option-fault',
      'src/mastra/safely',
      'src/mastra/stand-ins',
      'src/mastra/messages',
    ],
  },
  { rooms: ['src/mastra/graph'] },
  { rooms: ['src/mastra/workflow'] },
  { rooms: ['src/mastra/structured-output'] },
  { rooms: ['src/mastra/options'] },
  { rooms: ['src/mastra/model', 'src/mastra/memory'] },
  { rooms: ['src/mastra/tracing', 'src/mastra/call-options'] },
  { rooms: ['src/mastra/tools'] },
  { rooms: ['src/mastra/agent'] },
  { rooms: ['src/mastra/durable'] },
  { rooms: ['src/mastra/agent/agent'] },
  { rooms: ['src/mastra/replay'] },
] as const satisfies readonly Floor[];

interface Floor {
  readonly rooms: readonly string[];
  /** The rooms of this floor may import each other. */
  readonly open?: boolean;
}

/** Tests and benchmarks look at every room from outside; nobody looks at them. */
const onlooker = /^(test|bench|scripts)\/|\.test(-d)?\.ts$|\/test-setup\.ts$/;

const roomsOf = (list: readonly Floor[]) =>
  list
    .flatMap(({ rooms, open = false }, height) => rooms.map((name) => ({ name, height, open })))
    .toSorted((a, b) => b.name.length - a.name.length);

type Rooms = ReturnType<typeof roomsOf>;

const house = roomsOf(floors);
const mastra = roomsOf(mastraFloors);

const roomIn = (rooms: Rooms, path: string) =>
  rooms.find(({ name }) => path.startsWith(`${name}/`) || path.replace(/\.tsx?$/, '') === name);

export interface SourceFile {
  /** From the root of the repository, with `/`. */
  readonly path: string;
  readonly source: string;
}

/** What a file imports by a relative path, types too, as paths from the root. */
export const importsOf = ({ path, source }: SourceFile): string[] => {
  const specifiers: string[] = [];
  const note = (node: { source: unknown }) => {
    const { value } = (node.source ?? {}) as { value?: unknown };
    if (typeof value === 'string' && value.startsWith('.')) specifiers.push(value);
  };
  const visitor = new Visitor({
    ImportDeclaration: note,
    ExportNamedDeclaration: note,
    ExportAllDeclaration: note,
    ImportExpression: note,
    TSImportType: note,
  });
  visitor.visit(parseSync(path, source).program);
  return specifiers.map((specifier) => posix.join(posix.dirname(path), specifier).replace(/\.js(x?)$/, '.ts$1'));
};

const complaintAbout = (path: string, target: string): string | undefined => {
  const isInMastra = path.startsWith('src/mastra/') && target.startsWith('src/mastra/');
  return complaintIn(isInMastra ? mastra : house, path, target);
};

const complaintIn = (rooms: Rooms, path: string, target: string): string | undefined => {
  const from = roomIn(rooms, path);
  const to = roomIn(rooms, target);
  if (!from) return `${path} stands in no room; put it into one, or add its room to scripts/floors.ts.`;
  if (!to) return `${path} imports ${target}, which stands in no room.`;
  const isAllowed = from.name === to.name || to.height < from.height || (to.height === from.height && from.open);
  if (isAllowed) return undefined;
  const where = to.height === from.height ? 'beside' : 'above';
  return `${path} imports ${target}: ${to.name} stands ${where} ${from.name}, and an import only points down.`;
};

/** Checks every import between rooms; returns one sentence for each that does not point down. */
export const checkFloors = (files: readonly SourceFile[]): string[] =>
  files
    .filter(({ path }) => !onlooker.test(path))
    .flatMap((file) => importsOf(file).map((target) => complaintAbout(file.path, target)))
    .filter((complaint) => complaint !== undefined);
