import type { LanguageModel, ToolSet } from 'ai';
import { phaseNames } from '../phase/table.js';
import type { GuardOptions } from './guard-options.js';
import { guardTools } from './guard-tools.js';
import type { Guards } from './run.js';
import { withGuards } from './with-guards.js';

interface AgentSettings {
  readonly model: LanguageModel;
  readonly tools?: ToolSet;
  readonly prepareCall?: unknown;
  readonly prepareStep?: unknown;
}

type Changed = { model?: LanguageModel; tools?: ToolSet };
type Preparing = (args: Changed) => Promise<Changed | undefined>;

/**
 * Puts guards around an agent's model and tools for Mastra, which runs them in a loop of its own: each of their calls is a guarded run of
 * its own.
 */
export const registeredAgent = (agent: AgentSettings, guards: Guards, options: GuardOptions) => {
  const { uncalled = [], onReaderCancel: _forReaders, ...others } = options; // the readers are Mastra's
  const guardedModel = (model: LanguageModel) => withGuards(model, guards, { ...others, uncalled: [...uncalled, 'toolResult'] });
  const guardedTools = (tools: ToolSet): ToolSet => {
    const own = Object.entries(tools).filter(([, tool]) => tool.execute !== undefined); // the others run elsewhere
    return { ...tools, ...guardTools(Object.fromEntries(own), guards, { ...others, uncalled: [...phaseNames] }) };
  };
  /** Guards the model and tools that an application's function sets for a call or step. */
  const guardedChanges = (own: unknown): Preparing | undefined => {
    if (typeof own !== 'function') return undefined;
    return async (args) => {
      const changed = await (own as Preparing)(args); // of the AI SDK's types
      const { model, tools } = changed ?? {};
      return (
        changed && {
          ...changed,
          ...(model && model !== args.model && { model: guardedModel(model) }),
          ...(tools && tools !== args.tools && { tools: guardedTools(tools) }),
        }
      );
    };
  };
  const { model, tools, prepareCall, prepareStep } = agent;
  return {
    get settings() {
      const changes = { prepareCall: guardedChanges(prepareCall), prepareStep: guardedChanges(prepareStep) };
      return { ...agent, model: guardedModel(model), ...changes };
    },
    get tools() {
      return tools && guardedTools(tools);
    },
  };
};
