import type { ProcessLLMRequestArgs, Processor } from '@mastra/core/processors';
import type { Pattern, WindowedProcessor } from '../../src/guard/pattern.js';
import { combineFinders, type NamedFinders, type ValueSpan } from '../patterns/combine-finders.js';
import { defineFinder } from '../patterns/define-finder.js';
import { holdBack } from '../stream/hold-back.js';
import { flushText } from '../stream/held-text.js';
import { editPrompt } from './edit-prompt.js';
import { createVault, placeholder, type Vault } from './vault.js';

type RestoringHooks = Required<Pick<Processor, 'processLLMRequest' | 'processOutputStream'>> &
  Required<Pick<WindowedProcessor, 'window'>>;

const placeholderFinder = defineFinder({ regex: placeholder });

/**
 * The hooks that hide values from the model and give them back. What goes out to the model is edited and nothing else, so that
 * the conversation and the memory keep what was said; what comes from the model is given its values back before a tool or the
 * client has it.
 */
export const restoringHooks = (finders: NamedFinders, onHidden: (found: readonly ValueSpan[]) => void): RestoringHooks => {
  const vaults = new WeakMap<object, Vault>();
  const vaultOf = (state: object): Vault => {
    const vault = vaults.get(state) ?? createVault();
    vaults.set(state, vault);
    return vault;
  };
  const hidden = combineFinders([...finders, ['placeholder', placeholderFinder]]);
  const pattern: Pattern = {
    ...placeholderFinder,
    replace: (name, { context }) => vaultOf(context.state).reveal(name) ?? name,
  };
  return {
    processLLMRequest: ({ prompt, state }: Pick<ProcessLLMRequestArgs, 'prompt' | 'state'>) => {
      const vault = vaultOf(state);
      const found: ValueSpan[] = [];
      const replace = (value: string, span: ValueSpan) => {
        found.push(span);
        return vault.hide(span, value);
      };
      const edited = editPrompt(prompt, (text) => flushText({ text, from: 0 }, { pattern: hidden, replace }));
      if (found.length === 0) return undefined;
      onHidden(found);
      return { prompt: edited };
    },
    processOutputStream: holdBack(pattern),
    window: { pattern },
  };
};
