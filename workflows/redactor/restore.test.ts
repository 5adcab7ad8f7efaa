import { createTool } from '@mastra/core/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { collectTraces, formatTrace } from '../../src/replay.js';
import { InterlockAgent } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { traced } from '../../test/mastra/traced.js';
import { hosts, runOn } from '../guards/test-setup.js';
import { valueKinds, type ValueKind } from '../patterns/value-kinds.js';
import { labelOf } from './replacement.js';
import { redactor } from './redactor.js';
import { samples, textOf } from './test-setup.js';

/** Values that only their label makes recognizable. */
const byLabel = {
  password: { text: 'password: Hunter2!x9', name: '[SECRET_1]', value: 'Hunter2!x9' },
  'an SSN without hyphens': { text: 'my SSN is 536904399', name: '[SSN_1]', value: '536904399' },
  'an AWS secret': {
    text: 'aws_secret_access_key=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLE0KEY',
    name: '[API_KEY_1]',
    value: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLE0KEY',
  },
  'the password of curl': { text: 'curl -u ada:Sesame77x https://a.example', name: '[SECRET_1]', value: 'Sesame77x' },
};
const cases = [
  ...valueKinds.map((kind: ValueKind) => [kind, textOf(kind), `[${labelOf(kind)}_1]`, samples[kind].value] as const),
  ...Object.entries(byLabel).map(([what, { text, name, value }]) => [what, text, name, value] as const),
];

/** Uses of a value that leave nothing around it by which it could be recognized. */
const uses = (name: string) => ({ bare: name, beside: `ORD${name}X`, tel: `tel-${name}-x`, v: `v${name}x`, list: [name] });
const scriptOf = (name: string) => [
  { toolCalls: [{ name: 'keep', args: uses(name) }] },
  { toolCalls: [{ name: 'keep', args: { again: `x${name}` } }] },
  { text: ['Noted, I will use ', name, '.'] },
];
const keep = (args: unknown) => ({ kept: args, as: JSON.stringify(args) });
const guard = () => redactor({ strategy: 'restore', countries: ['CH'] });

describe.each(hosts)('restore hides a value for good in %s', (host) => {
  it.each(cases)('%s', async (_what, text, name, value) => {
    const {
      ran,
      prompts,
      text: answer,
    } = await runOn(host, {
      instructions: `You help. The ticket mentions ${value}.`,
      prompt: [
        { role: 'user', content: text },
        { role: 'assistant', content: `Noted, I will use ${value}.` },
        { role: 'user', content: 'Go on.' },
      ],
      tools: { keep },
      steps: scriptOf(name),
      guards: [guard()],
    });
    expect(prompts).toHaveLength(3);
    expect(prompts.filter((prompt) => prompt.includes(value))).toEqual([]);
    expect(ran[0]).toContain(`ORD${value}X`);
    expect(answer).toBe(`Noted, I will use ${value}.`);
  });

  it('a value whose key is its label is hidden in arguments and results, also as a number', async () => {
    const fields = { password: 'Hunter2!x9', headers: [{ name: 'X-Api-Key', value: 'a1b2c3d4e5f6a7b8' }], ssn: 536_904_399 };
    const { prompts } = await runOn(host, {
      tools: { keep: fields },
      steps: [{ toolCalls: [{ name: 'keep', args: {} }] }, { text: 'ok' }],
      guards: [guard()],
    });
    expect(prompts[1]).toContain('[SECRET_1]');
    expect(prompts[1]).not.toMatch(/Hunter2|a1b2c3d4|536904399/);
  });

  it('finds thousands of values in a long text in linear time', async () => {
    const mails = Array.from({ length: 3_000 }, (_, index) => `user${index}@mail${index % 7}.example`);
    const { prompts } = await runOn(host, {
      prompt: mails.join(' '),
      tools: { keep: mails.map((mail) => `x${mail}`) },
      steps: [{ toolCalls: [{ name: 'keep', args: {} }] }, { text: 'ok' }],
      guards: [guard()],
    });
    expect(prompts.join('')).not.toContain('.example');
  });
});

it('restore: no recording and no span has a hidden value', async () => {
  for (const [what, text, name, value] of cases) {
    const tool = createTool({
      id: 'keep',
      description: '.',
      inputSchema: z.looseObject({}),
      execute: async (args) => keep(args),
    });
    const redacting = guard();
    const agent = new InterlockAgent({
      id: 'a',
      name: 'a',
      instructions: `The ticket mentions ${value}.`,
      model: scriptedModel({ steps: scriptOf(name) }),
      tools: { keep: tool },
      inputProcessors: [redacting],
      outputProcessors: [redacting],
    });
    const { everything } = traced(agent);
    const recording = collectTraces();
    const stream = await agent.stream(text, { record: recording.record });
    expect(await stream.text).toBe(`Noted, I will use ${value}.`);
    expect(formatTrace(recording.trace) + JSON.stringify(recording.trace), what).not.toContain(value);
    expect(await everything(), what).not.toContain(value);
  }
});
