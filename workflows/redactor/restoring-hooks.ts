import type { ProcessLLMRequestArgs, Processor } from '@mastra/core/processors';
import { createPace, paced, replacing } from '../../src/guard/in-steps.js';
import type { Pattern, WindowedProcessor } from '../../src/guard/pattern.js';
import { whenReady } from '../../src/phase/awaitable.js';
import { combineFinders, type NamedFinders, type ValueSpan } from '../patterns/combine-finders.js';
import { defineFinder } from '../patterns/define-finder.js';
import { holdBack } from '../stream/hold-back.js';
import { flushText } from '../stream/held-text.js';
import { editPrompt } from './edit-prompt.js';
import { placeholder, standIn, type SecretsProcessor } from '../../src/guard/secrets.js';
import { createVault, createVaultOfStandIns, type Vault } from './vault.js';

type RestoringHooks = Required<Pick<Processor, 'processLLMRequest' | 'processOutputStream'>> &
  Required<Pick<WindowedProcessor, 'window'>> &
  Required<Pick<SecretsProcessor, 'conceal' | 'expectStandIns'>>;

/** Placeholders that come in from outside are hidden like values, so that nobody can ask for a value by its name. */
const placeholderFinder = defineFinder({ regex: placeholder });
const standInFinder = defineFinder({ regex: standIn });

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
  const values: NamedFinders = [...finders, ['stand-in', standInFinder]];
  const known = combineFinders(values);
  const hidden = combineFinders([...values, ['placeholder', placeholderFinder]]);
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
      const pace = createPace();
      const edited = editPrompt(prompt, (text) => paced(replacing(text, { pattern: hidden, replace }), pace));
      return whenReady(edited, (hiding) => {
        if (found.length === 0) return undefined;
        onHidden(found);
        return { prompt: hiding };
      });
    },
    processOutputStream: holdBack(pattern),
    window: { pattern },
    conceal: (text, state) =>
      flushText({ text, from: 0 }, { pattern: known, replace: (value, span) => vaultOf(state).hide(span, value) }),
    expectStandIns: (state) => void vaults.set(state, createVaultOfStandIns()),
  };
};
