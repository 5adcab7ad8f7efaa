/** The files of `dist`, and their sources. */
export const entries = {
  index: 'src/index.ts',
  engine: 'src/engine.ts',
  replay: 'src/replay.ts',
  schemas: 'schemas/index.ts',
  workflows: 'workflows/index.ts',
  guards: 'workflows/guards/index.ts',
  classifier: 'workflows/classifier/index.ts',
  'classifier-worker': 'workflows/classifier/worker.ts',
  'ai-sdk': 'src/ai-sdk/index.ts',
  eval: 'src/eval/index.ts',
  opentelemetry: 'src/otel/index.ts',
  openworkflow: 'src/durable/openworkflow/index.ts',
  restate: 'src/durable/restate/index.ts',
  dbos: 'src/durable/dbos/index.ts',
  testing: 'src/testing/index.ts',
  ui: 'src/ui/index.ts',
  studio: 'playground/server/index.ts',
  'mastra-interlock': 'bin/mastra-interlock.ts',
} as const;

/** Entry points whose code and types need no Mastra. */
export const withoutMastra = ['guards', 'ai-sdk', 'ui', 'testing'] as const satisfies readonly (keyof typeof entries)[];

/** The source of a file that package.json names, such as `./dist/guards.js`. */
export const sourceOf = (target: string): string => {
  const name = target.replace(/^\.\/dist\//, '').replace(/\.js$/, '');
  const source = (entries as Readonly<Record<string, string>>)[name];
  if (!source) throw new Error(`scripts/entries.ts does not name the source of ${target}.`);
  return source;
};
