import { createTool } from '@mastra/core/tools';
import { InMemoryStore } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import type { Phase } from '../../src/index.js';
import type { ScriptedStep } from '../../src/testing/index.js';
import { modes } from '../mastra/support.js';
import { guardOn } from '../promises/support.js';
import { remembering, target } from './support.js';

const attack = 'ATTACK-0815';

/** Each page is read in a step of its own; the last one attacks. */
const pages = ['a', 'b', 'attack'];
const read = createTool({
  id: 'read',
  description: 'Reads a page.',
  inputSchema: z.object({ page: z.string() }),
  execute: async ({ page }) => (page === 'attack' ? attack : `page ${page}`),
});
const steps = (count: number): ScriptedStep<'v2'>[] => [
  ...pages.slice(-count).map((page) => ({ text: `Reading ${page}.`, toolCalls: [{ name: 'read', args: { page } }] })),
  { text: 'Fine.' },
];

const phases: readonly Phase[] = ['inputStep', 'llmRequest'];
const cases = phases.flatMap((phase) => [1, 2, 3].map((count) => ({ phase, count })));

type Agent = ReturnType<typeof remembering>['agent'];
const ask = async (agent: Agent, mode: (typeof modes)[number], text: string, options: object) =>
  mode === 'generate' ? agent.generate(text, options) : (await agent.stream(text, options)).getFullOutput();

describe.each(modes)('a prompt that a guard rejects, %s', (mode) => {
  it.each(cases)(
    '$phase, after $count steps: memory has the name of the tool that was called, and the thread continues',
    async ({ phase, count }) => {
      const memory = new Memory({ storage: new InMemoryStore() });
      const when = ({ messages, prompt }: { messages?: unknown; prompt?: unknown }) =>
        JSON.stringify([messages, prompt]).includes(attack);
      const guard = guardOn(phase, ({ abort }) => abort('No.'), { when: when as never });
      for (const savePerStep of [false, true]) {
        const thread = { ...target, thread: `thread-${savePerStep}` };
        const { agent, model } = remembering(memory, steps(count), { tools: { read }, inputProcessors: [guard] });
        const result = await ask(agent, mode, 'Read all.', { memory: thread, savePerStep });
        expect(result.status).toBe('tripwire');
        const { messages } = await memory.recall({ threadId: thread.thread, resourceId: thread.resource });
        const saved = JSON.stringify(messages);
        expect(saved).not.toContain(attack);
        expect(saved).not.toContain('Reading attack.');
        expect(new Set(saved.match(/Reading \w+\./g)).size).toBe(count - 1);
        expect(saved.match(/"page":/g) ?? []).toHaveLength(count - 1);
        expect(saved.match(/"toolName":"read"/g)).toHaveLength(count);
        expect((await ask(agent, mode, 'And now?', { memory: thread })).status).toBe('success');
        expect(JSON.stringify(model.calls.at(-1)?.prompt)).not.toContain(attack);
      }
    },
  );
});
