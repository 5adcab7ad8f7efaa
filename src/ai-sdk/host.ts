import { gateway, type LanguageModel } from 'ai';
import type { Host, ModelChoice, ResolvedModel } from '../phase/host.js';
import type { Awaitable } from '../phase/awaitable.js';
import { installedHost } from '../mastra/graph/mastra-host.js';
import { compile, isPortable, type Compilable } from '../mastra/graph/to-graph.js';
import { childrenOf, nameOf, type GraphNode, type Plan } from '../pipeline/graph.js';
import { fieldsIn } from '../phase/plain-data.js';
import { plainHost } from '../plain/plain-host.js';
import { InterlockError } from '../errors.js';
import { pass } from '../verdict.js';

/** A model that can be wrapped. */
export type ModelInstance = Exclude<LanguageModel, string>;

/**
 * A model as an instance: ids go to the application's default provider, else to the AI SDK's gateway, as in the AI SDK itself.
 */
export const instanceOf = (model: LanguageModel): ModelInstance => {
  if (typeof model !== 'string') return model;
  const provider = globalThis.AI_SDK_DEFAULT_PROVIDER ?? gateway;
  return provider.languageModel(model);
};

/**
 * An empty array is a plan without guards, so that a configuration can switch them off. Raises `ai-sdk/hook-not-called` for a state
 * signal: it belongs to a thread.
 *
 * @param id of the plan, for an array or a single guard
 */
export const planOf = (guards: Compilable, id?: string): Plan => {
  if (Array.isArray(guards) && guards.length === 0) return noGuards;
  const plan = compile(guards, id);
  for (const { path, node } of guardsIn(plan.graph, plan.graph.id))
    if (node.processor.computeStateSignal)
      throw new InterlockError('ai-sdk/hook-not-called', { path: `${path} computeStateSignal`, detail: noThread });
  return plan;
};

const noThread = 'a state signal is stored in a thread, which a run of the AI SDK does not have';

type GuardNode = Extract<GraphNode, { kind: 'guard' }>;

/** The guards of a graph, with their paths. */
export const guardsIn = (node: GraphNode, path: string): { path: string; node: GuardNode }[] =>
  node.kind === 'guard'
    ? [{ path, node }]
    : childrenOf(node).flatMap((inner, index) => guardsIn(inner, `${path}/${nameOf(inner, index)}`));

const noGuards: Plan = {
  id: 'no-guards',
  graph: { kind: 'sequence', id: 'no-guards', nodes: [] },
  has: () => false,
  run: () => pass,
};

const resolveModel = (model: ModelChoice, path: string): ResolvedModel => {
  const instance: unknown = typeof model === 'string' ? instanceOf(model) : model;
  if (fieldsIn(instance)['specificationVersion'] !== undefined) return instance as ResolvedModel; // of one of the specifications
  throw new InterlockError('agent/model-unresolved', { path, detail: 'the AI SDK accepts model instances and ids.' });
};

const plain = plainHost(resolveModel);

/**
 * The host for a plan's guards. Guards are written for Mastra's messages and tripwires, and get these if Mastra is installed. If all
 * guards are portable, they get plain ones, so that Mastra is not loaded.
 */
export const hostFor = ({ graph }: Plan): Awaitable<Host> => (isPortable(graph) ? plain : installedHost(resolveModel));
