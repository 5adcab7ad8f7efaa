import { posix } from 'node:path';

import { parseSync, Visitor } from 'oxc-parser';

/**
 * The modules, by layer, from the bottom up. An import points down: a module may import modules of lower layers, never a module of its
 * own layer or of a higher one; types count. A module is a folder or a single file; the longest name that fits a path is its module.
 */
const layers = [
  {
    modules: [
      'schemas',
      'src/error-table',
      'src/errors',
      'src/integration',
      'src/library',
      'src/responses',
      'src/option-kind',
      'src/verdict',
      'src/ui',
      'src/durable/journal',
    ],
    open: true,
  },
  { modules: ['src/phase'] },
  { modules: ['src/trace'] },
  { modules: ['src/guard', 'src/otel'] },
  { modules: ['src/pipeline'] },
  { modules: ['src/stream', 'src/plain'] },
  { modules: ['src/loop'] },
  { modules: ['src/mastra', 'src/durable'] },
  { modules: ['src/ai-sdk'] },
  { modules: ['src/index', 'src/engine', 'src/replay'] },
  { modules: ['src/testing', 'workflows'] },
  { modules: ['src/eval'] },
  { modules: ['playground'] },
  { modules: ['bin'] },
  { modules: ['test', 'bench', 'scripts'] },
] as const satisfies readonly Layer[];

/** The modules inside `src/mastra`, by the same rule. The class of the agent has a layer of its own: it starts durable runs. */
const mastraLayers = [
  {
    modules: [
      'src/mastra/internal-processors',
      'src/mastra/issue-text',
      'src/mastra/keyed-queue',
      'src/mastra/stand-ins',
      'src/mastra/tool-arguments',
      'src/mastra/messages',
    ],
  },
  { modules: ['src/mastra/graph'] },
  { modules: ['src/mastra/workflow'] },
  { modules: ['src/mastra/structured-output'] },
  { modules: ['src/mastra/options'] },
  { modules: ['src/mastra/model'] },
  { modules: ['src/mastra/memory'] },
  { modules: ['src/mastra/tracing', 'src/mastra/call-options'] },
  { modules: ['src/mastra/tools'] },
  { modules: ['src/mastra/agent'] },
  { modules: ['src/mastra/durable'] },
  { modules: ['src/mastra/agent/agent'] },
  { modules: ['src/mastra/replay'] },
] as const satisfies readonly Layer[];

interface Layer {
  readonly modules: readonly string[];
  /** The modules of this layer may import each other. */
  readonly open?: boolean;
}

/** Tests and benchmarks may import every module; no module imports them. */
const testFile = /^(test|bench|scripts)\/|\.test(-d)?\.ts$|\/test-setup\.ts$/;

const modulesOf = (list: readonly Layer[]) =>
  list
    .flatMap(({ modules, open = false }, height) => modules.map((name) => ({ name, height, open })))
    .toSorted((a, b) => b.name.length - a.name.length);

type Modules = ReturnType<typeof modulesOf>;

const repository = modulesOf(layers);
const mastra = modulesOf(mastraLayers);

const moduleIn = (modules: Modules, path: string) =>
  modules.find(({ name }) => path.startsWith(`${name}/`) || path.replace(/\.tsx?$/, '') === name);

export interface SourceFile {
  /** From the root of the repository, with `/`. */
  readonly path: string;
  readonly source: string;
}

/** The relative imports of a file, types too, as paths from the root. */
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

const violationOf = (path: string, target: string): string | undefined => {
  const isInMastra = path.startsWith('src/mastra/') && target.startsWith('src/mastra/');
  return violationIn(isInMastra ? mastra : repository, path, target);
};

const violationIn = (modules: Modules, path: string, target: string): string | undefined => {
  const from = moduleIn(modules, path);
  const to = moduleIn(modules, target);
  if (!from) return `${path} belongs to no module; move it into one, or add its module to scripts/layers.ts.`;
  if (!to) return `${path} imports ${target}, which belongs to no module.`;
  const isAllowed = from.name === to.name || to.height < from.height || (to.height === from.height && from.open);
  if (isAllowed) return undefined;
  const relation = to.height === from.height ? 'in the layer of' : 'above';
  return `${path} imports ${target}: ${to.name} is ${relation} ${from.name}, and an import only points down.`;
};

/** Checks every import between modules; returns one sentence for each that does not point down. */
export const checkLayers = (files: readonly SourceFile[]): string[] =>
  files
    .filter(({ path }) => !testFile.test(path))
    .flatMap((file) => importsOf(file).map((target) => violationOf(file.path, target)))
    .filter((violation) => violation !== undefined);
