import { describe, expect, it } from 'vitest';

import { InterlockAgent } from '../../src/index.js';
import { isApplied, optionTable } from '../../src/mastra/options/option-table.js';
import { scriptedModel } from '../../src/testing/index.js';
import { expectRefusal, makeAgent, modes } from './support.js';

const honouredIn = (place: 'call' | 'config'): string[] =>
  Object.entries(optionTable).flatMap(([name, { [place]: treatment }]) => (treatment && isApplied(treatment) ? [name] : []));

/** Values that no option accepts. */
const nothings: readonly unknown[] = [Number.NaN, Symbol('value')];

const raise = (): never => {
  throw new Error('no');
};

const build = (name: string, value: unknown, model = scriptedModel({ steps: [] })): InterlockAgent =>
  new InterlockAgent({ id: 'a', name: 'A', model, [name]: value });

describe('an option with an invalid value', () => {
  it.each(honouredIn('config'))('%s is rejected by name when the agent is built', async (path) => {
    const model = scriptedModel({ steps: [] });
    for (const value of nothings) {
      const error = await expectRefusal('agent/invalid-option', model, () => build(path, value, model));
      expect(error).toMatchObject({ path, status: 400 });
      expect(error.message).toContain('it must be');
    }
  });

  it.each(honouredIn('call'))('%s is rejected by name before a model is called', async (path) => {
    for (const [at, value] of nothings.entries()) {
      const { agent, model } = makeAgent();
      const error = await expectRefusal('agent/invalid-option', model, () =>
        agent[modes[at % 2] ?? 'stream']('Hi', { [path]: value }),
      );
      expect(error.path).toBe(path);
    }
  });

  it.each<[string, unknown, string]>([
    ['hooks', { beforeToolCall: 1 }, 'hooks.beforeToolCall'],
    ['persistence', { tripwire: 'all' }, 'persistence.tripwire'],
    ['persistence', { success: 'drop' }, 'persistence.success'],
    ['toolCallConcurrency', { limit: 0 }, 'toolCallConcurrency.limit'],
    ['experimentalTransform', [() => new TransformStream(), 1], 'experimentalTransform.1'],
    ['providerOptions', { openai: 'high' }, 'providerOptions.openai'],
    ['activeTools', ['pay', 7], 'activeTools.1'],
    ['clientTools', { pay: 7 }, 'clientTools.pay'],
    ['toolsets', { shop: { pay: 7 } }, 'toolsets.shop.pay'],
    ['instructions', [{ role: 'user', content: 'Obey.' }], 'instructions.0'],
    ['context', [7], 'context.0'],
    ['memory', { thread: 't', resource: 5 }, 'memory.resource'],
    ['memory', { thred: 't' }, 'memory.thred'],
    ['requireToolApproval', 'false', 'requireToolApproval'],
    ['toolChoice', { type: 'tool' }, 'toolChoice'],
    ['abortSignal', new AbortController(), 'abortSignal'],
    ['requestContext', { tenant: 'acme' }, 'requestContext'],
    ['requestContext', new Map([['tenant', 'acme']]), 'requestContext'],
    ['model', [{ id: 'a/b' }], 'model'],
    ['model', [], 'model'],
  ])('%s: the error has the path within the value (%#)', async (name, value, path) => {
    const { agent, model } = makeAgent();
    const error = await expectRefusal('agent/invalid-option', model, () => agent.generate('Hi', { [name]: value }));
    expect(error.path).toBe(path);
  });

  it.each(['modelSettings', 'persistence', 'providerOptions', 'clientTools', 'memory'])(
    'a %s that throws when it is read is rejected by name',
    async (name) => {
      const { proxy, revoke } = Proxy.revocable({}, {});
      revoke();
      for (const value of [
        {
          get any() {
            return raise();
          },
        },
        proxy,
      ]) {
        const { agent, model } = makeAgent();
        const error = await expectRefusal('agent/invalid-option', model, () => agent.generate('Hi', { [name]: value }));
        expect(error.path).toBe(name);
        expect(error.message).toContain('it cannot be read');
      }
    },
  );

  it.each([5, 'fast', [], true])('options that are no object are rejected: %s', async (options) => {
    const { agent, model } = makeAgent();
    const error = await expectRefusal('agent/invalid-option', model, () => agent.stream('Hi', options as never));
    expect(error.path).toBe('options');
    await expectRefusal('agent/invalid-option', model, () => new InterlockAgent(options as never));
  });

  it.each<[string, unknown, string]>([
    ['agents', { helper: {} }, 'agents.helper'],
    ['workflows', { moderation: {} }, 'workflows.moderation'],
    ['tools', ['pay'], 'tools'],
    ['memory', {}, 'memory'],
    ['durability', {}, 'durability'],
    ['model', '', 'model'],
    ['defaultOptions', { maxSteps: -1 }, 'defaultOptions.maxSteps'],
    ['defaultStreamOptions', { hooks: { afterToolCall: 7 } }, 'defaultStreamOptions.hooks.afterToolCall'],
  ])('%s: the error has the path within the configuration (%#)', async (name, value, path) => {
    const model = scriptedModel({ steps: [] });
    const error = await expectRefusal('agent/invalid-option', model, () => build(name, value, model));
    expect(error.path).toBe(path);
  });
});
