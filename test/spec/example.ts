import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { runInThisContext } from 'node:vm';

import * as provider from '@ai-sdk/provider';
import { Mastra } from '@mastra/core/mastra';
import * as processors from '@mastra/core/processors';

import { expect, type RunnerTestCase } from 'vitest';

import * as interlock from '../../src/index.js';
import { InterlockAgent, verify, type Finding, type Pipeline } from '../../src/index.js';
import { scriptedModel, type ScriptedCall, type ScriptedModel, type ScriptedStep } from '../../src/testing/index.js';

/** The documents of the specification. */
export type Document =
  | '1-process-input-step'
  | '2-processor-interface'
  | '3-processors-guide'
  | '4-processor-enhancements'
  | '5-prepare-step-semantics';

/** The examples of a document, verbatim, by title. */
const examplesIn = (document: Document): Map<string, string> => {
  const text = readFileSync(new URL(`./examples/${document}.md`, import.meta.url), 'utf8');
  return new Map(Array.from(text.matchAll(/^## (.+)\n\n```ts\n([^]*?)^```$/gm), ([, title = '', code = '']) => [title, code]));
};

interface Running {
  readonly document: Document;
  readonly title: string;
  /** The environment of the example: functions and objects that it expects. */
  readonly scope?: Readonly<Record<string, unknown>>;
  /** The replacements of omitted code, by the placeholder text. */
  readonly fill?: Readonly<Record<string, string>>;
}

/** The import paths that change. All other imports of an example stay as written. */
const own = new Set(['@mastra/core/agent', '@mastra/core/workflows']);

/**
 * Runs an example of the specification unchanged, apart from the paths of its imports, and returns its top-level declarations. A
 * fragment of an object returns the object.
 */
export const runExample = async <Declared>({ document, title, scope = {}, fill = {} }: Running): Promise<Declared> => {
  const code = examplesIn(document).get(exampleTitle(title));
  if (code === undefined) throw new Error(`${document} has no example "${title}".`);
  const whole = Object.entries(fill).reduce((text, [placeholder, value]) => text.replaceAll(placeholder, () => value), code);
  const modules = {
    'mastra-interlock': { ...interlock, ...scope },
    '@mastra/core/processors': processors,
    '@ai-sdk/provider': provider,
  };
  const imported = new Set(Array.from(whole.matchAll(imports), ([, names = '']) => names.match(/\w+/g) ?? []).flat());
  const given = Object.keys(scope).filter((name) => !imported.has(name));
  const source = `(async ({ modules, ${given.join(', ')} }) => {\n${bodyOf(whole)}\n})`;
  // The test has the type of its example's declarations.
  const run = runInThisContext(stripTypeScriptTypes(source)) as (around: object) => Promise<Declared>;
  const declared = await run({ modules, ...scope });
  const found = findingsOf(Object.values(declared as object));
  // The judges of the documents set no `errorStrategy`; their guards of whole answers hold these.
  const expected: ReadonlySet<string> = new Set(['guard/passes-on-failure', 'guard/holds-answer']);
  expect(found.filter((finding) => !expected.has(finding.code))).toEqual([]);
  return declared;
};

/** The findings of `verify` for the agents of an example, or for its pipelines if it has no agents. */
const findingsOf = (declared: readonly unknown[]): readonly Finding[] => {
  const agents = declared.filter((value) => value instanceof InterlockAgent);
  return agents.length > 0 ? agents.flatMap((agent) => verify(agent)) : declared.filter(isPipeline).flatMap((one) => verify(one));
};

const isPipeline = (value: unknown): value is Pipeline =>
  typeof value === 'object' && value !== null && ('graph' in value || 'stepGraph' in value);

const imports = /^import (\{[^}]+\}) from ['"](.+)['"];?$/gm;
const typeImports = /^import type \{[^}]+\} from .+$/gm;

const bodyOf = (code: string): string => {
  const isFragment = /^(?:\/\/.*\n)*\w+: /.test(code);
  if (isFragment) return `return {\n${code.trimEnd().replace(/;$/, '')}\n};`;
  const body = code
    .replaceAll(typeImports, '')
    .replaceAll(
      imports,
      (_, names: string, path: string) => `const ${names} = modules['${own.has(path) ? 'mastra-interlock' : path}'];`,
    )
    .replaceAll(/^export /gm, '');
  const declared = Array.from(body.matchAll(/^(?:const|class|function) (\w+)/gm), ([, name]) => name);
  return `${body}\nreturn { ${declared.join(', ')} };`;
};

/** The title of a test's example, without the test's own statements. */
const exampleTitle = (name: string): string => name.replace(/ \[spec [^\]]+\]$/, '');

/** The titles of a document's examples. */
export const titlesOf = (document: Document): string[] => [...examplesIn(document).keys()];

/** The names of the other tests in the suite of a test. */
export const conflictingNames = (task: RunnerTestCase): string[] =>
  task.suite?.tasks.filter((other) => other !== task).map(({ name }) => exampleTitle(name)) ?? [];

/** The texts that a call sent to its model under a role. */
export const sentTo = (call: ScriptedCall<'v2'> | undefined, role: string): string[] =>
  (call?.prompt ?? [])
    .filter((message) => message.role === role)
    .map(({ content }) =>
      typeof content === 'string' ? content : content.map((part) => ('text' in part ? part.text : part.type)).join(),
    );

type Step = ScriptedStep<'v2'>;

export interface World {
  /** The package's agent, with a model and a name if the example has none. */
  readonly Agent: new (config: object) => InterlockAgent;
  readonly agent: (config?: object) => InterlockAgent;
  /** The pending and completed answers of this world's agents. */
  readonly answers: readonly Promise<unknown>[];
  /** The agents of this world. */
  readonly agents: readonly InterlockAgent[];
  /** Calls of all models together, each with the id of its model. */
  readonly calls: readonly ModelCall[];
  readonly modelOf: (id: string) => ScriptedModel;
}

interface ModelCall extends ScriptedCall<'v2'> {
  readonly model: string;
}

/** A world for an example: agents whose models, under any name, answer from one script. */
export const world = (script: readonly Step[] = [{ text: 'Hello.' }]): World => {
  const calls: ModelCall[] = [];
  const modelOf = (id: string): ScriptedModel =>
    scriptedModel({
      modelId: id,
      steps: (call) => {
        calls.push({ ...call, model: id });
        return script[calls.length - 1] ?? { text: 'Hello.' };
      },
    });
  const agents: InterlockAgent[] = [];
  const answers: Promise<unknown>[] = [];
  const track = <T extends Promise<unknown>>(answer: T): T => {
    answers.push(answer);
    return answer;
  };
  const base = {
    id: 'example',
    name: 'Example',
    instructions: 'Answer.',
    model: modelOf('default'),
    mastra: scriptedMastra(modelOf),
  };
  class Agent extends InterlockAgent {
    constructor(config: object) {
      super({ ...base, ...config });
      agents.push(this);
    }
    override generate = ((...call: Parameters<InterlockAgent['generate']>) =>
      track(super.generate(...call))) as InterlockAgent['generate']; // because of its overloads
    override stream = ((...call: Parameters<InterlockAgent['stream']>) =>
      track(super.stream(...call))) as InterlockAgent['stream'];
  }
  return { Agent, agent: (config = {}) => new Agent(config), agents, answers, calls, modelOf };
};

/** A Mastra whose router gives scripted models for all ids. */
const scriptedMastra = (modelOf: (id: string) => ScriptedModel): Mastra => {
  const gateway = {
    id: 'scripted',
    name: 'Scripted',
    handlesModel: () => true,
    fetchProviders: async () => ({}),
    buildUrl: () => undefined,
    getApiKey: async () => 'none',
    resolveLanguageModel: async ({ providerId, modelId }: { providerId: string; modelId: string }) =>
      modelOf(`${providerId}/${modelId}`),
  };
  return new Mastra({ gateways: { scripted: gateway }, logger: false });
};
