import { pipeline } from '../../src/mastra/graph/portable-pipeline.js';
import type { GraphSource } from '../../src/mastra/graph/to-graph.js';
import { aName, aText, listOf, needed, oneOf } from '../../src/option-kind.js';
import { redactor } from '../redactor/redactor.js';
import { canaryGuard } from './canary-guard.js';
import { checkOptions, type KindsOf } from './guard-options.js';
import { lengthGuard } from './length-guard.js';
import { linkGuard } from './link-guard.js';
import { promptInjectionGuard } from './prompt-injection-guard.js';
import { toolDescriptionGuard } from './tool-description-guard.js';
import { toolSecretsGuard } from './tool-secrets-guard.js';
import { unicodeGuard } from './unicode-guard.js';

/** The kind of application: it chats, it also reads foreign texts, or it also acts. */
type Application = 'chat' | 'rag' | 'agent-with-tools';

export interface DefaultGuardsOptions {
  /**
   * - `'chat'`: `length`, `unicode`, `prompt-injection`, `redactor` for credentials, `canary` without a word.
   * - `'rag'`: also `link`, because a text that the application reads can make the model send the conversation away in an
   *   address.
   * - `'agent-with-tools'`: also `tool-description` and `tool-secrets`. Restrict tool calls with `toolPolicy`.
   */
  readonly for: Application;
  /**
   * Hosts that answers, tool calls and tool results may link to, as in `linkGuard`. Default `['*']`: all but hosts that imitate another.
   */
  readonly hosts?: readonly string[];
  /** Id of the pipeline. Default `'default-guards'`. */
  readonly id?: string;
}

const optionKinds: KindsOf<DefaultGuardsOptions> = {
  for: needed(oneOf('chat', 'rag', 'agent-with-tools')),
  hosts: listOf(aText),
  id: aName,
};

/** Secrets that no conversation needs. The kind `secret`, which goes by labels alone, would remove more. */
const credentials = ['pem', 'url-credentials', 'jwt', 'api-key', 'bearer'] as const;

/**
 * The guards to start with: a pipeline of built-in guards that need no model, network or key, the cheapest first. It is
 * accepted wherever a pipeline is: in both arrays of an `InterlockAgent`, in `guardsFor`, in the adapters of the AI SDK, and in
 * your own pipeline.
 *
 * Injections, credentials in tool calls, and system prompts in answers stop the run. Credentials elsewhere are replaced
 * (`[API_KEY]`), rejected addresses and hidden characters are removed. Personal values stay: add a `redactor` to remove them.
 *
 * Raises `guard/invalid-option` and `guard/unknown-option`.
 *
 * @example
 * const guards = defaultGuards({ for: 'chat' });
 * new InterlockAgent({ id: 'desk', name: 'Desk', instructions, model, inputProcessors: [guards], outputProcessors: [guards] });
 * guardedToolLoop({ model, guards });
 */
export const defaultGuards = (options: DefaultGuardsOptions): GraphSource => {
  checkOptions('default-guards', options, optionKinds);
  const { for: application, hosts = ['*'], id = 'default-guards' } = options;
  const acts = application === 'agent-with-tools';
  const guards = [
    lengthGuard(),
    unicodeGuard(),
    promptInjectionGuard(),
    ...(acts ? [toolDescriptionGuard(), toolSecretsGuard()] : []),
    redactor({ strategy: 'replace', kinds: credentials }),
    ...(application === 'chat' ? [] : [linkGuard({ hosts, strategy: 'strip' })]),
    canaryGuard({ word: false }),
  ];
  return guards.reduce((chain, guard) => chain.then(guard), pipeline(id)).commit();
};
