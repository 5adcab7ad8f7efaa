import { tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Phase } from '../../src/index.js';
import { scriptedModel, type ScriptedModel } from '../../src/testing/index.js';
import { guardOn, isStreamed, runGuarded, textOnWire, ways, type HookArgs, type Ran, type Step } from './support.js';

/** Text of the first attempt, which must not be visible after a guard rejected it. */
const secret = 'ZEBRA';

const leaking: Step = {
  reasoning: `They want ${secret}.`,
  text: ['The code ', `is ${secret}. `],
  toolCalls: [{ name: 'fetch', args: { code: secret } }],
};
const leakingAtLast: Step = { reasoning: `They want ${secret}.`, text: ['The code ', `is ${secret}.`] };
const harmlessCall: Step = { text: 'A moment. ', toolCalls: [{ name: 'fetch', args: { code: 'any' } }] };
const harmless: Step = { text: 'I must not tell.' };

interface Case {
  /** The rejecting phase. */
  phase: Phase;
  /** The first answers, up to the rejected one. */
  steps: Step[];
  /** The tool's result. */
  result?: string;
  when?: (args: HookArgs) => boolean;
}

const cases: Case[] = [
  { phase: 'outputStream', steps: [leaking], when: ({ part }) => part?.type === 'tool-call' },
  { phase: 'llmResponse', steps: [leaking] },
  { phase: 'outputStep', steps: [leaking] },
  { phase: 'toolResult', steps: [harmlessCall], result: secret },
  { phase: 'outputResult', steps: [harmlessCall, leakingAtLast] },
];
const everyCase = cases.flatMap((one) => ways.map((way) => ({ ...one, way })));

const createModel = (steps: readonly Step[]): ScriptedModel<'v4'> =>
  scriptedModel({ specificationVersion: 'v4', steps: ({ index }) => steps[index] ?? harmless });

const fetchTool = (result: string) => ({
  fetch: tool({ inputSchema: z.object({ code: z.string() }), execute: async () => ({ result }) }),
});

const errorText = (error: unknown): string => (error instanceof Error ? `${error.message} ${JSON.stringify(error)}` : '');

/** The visible part of a run. */
const publicView = ({ parts, result, events, callbackTexts, error }: Ran): string =>
  JSON.stringify([parts, result, events, callbackTexts]) + errorText(error);

const promptsOf = (model: ScriptedModel<'v4'>): string => JSON.stringify(model.calls.map(({ prompt }) => prompt));

describe('P4 Rejected content stays rejected', () => {
  describe.each(everyCase)('$phase, $way', ({ phase, steps, result = 'fine', when, way }) => {
    const run = (model: ScriptedModel<'v4'>, retry: boolean, hold?: 'step') =>
      runGuarded(way, {
        model,
        guards: [guardOn(phase, ({ abort }) => abort('not to be told', { retry }), { when, times: retry ? 1 : undefined })],
        guardOptions: { maxProcessorRetries: retry ? 1 : 0, hold },
        settings: { tools: fetchTool(result) },
      });

    it('after a trip, it is in no text, step, prompt, part, event or callback', async () => {
      const model = createModel(steps);
      const ran = await run(model, false, 'step');
      expect(ran.error).toMatchObject({ name: 'TripwireError', reason: 'not to be told' });
      expect(publicView(ran)).not.toContain(secret);
      expect(promptsOf(model)).not.toContain(secret);
    });

    it('after a retry, it is in neither the result nor the prompt of the next attempt', async () => {
      const model = createModel(steps);
      const ran = await run(model, true);
      expect(ran.result?.text).toBe('I must not tell.');
      expect(publicView(ran)).not.toContain(secret);
      expect(promptsOf(model)).not.toContain(secret);
      if (isStreamed(way))
        expect(textOnWire(ran)).toBe(
          steps.length > 1 || phase === 'toolResult' ? 'A moment. I must not tell.' : 'I must not tell.',
        );
    });
  });

  describe.each(ways)('%s', (way) => {
    it('text emitted before a trip is in no promise of the result', async () => {
      const guard = guardOn('outputStream', ({ abort }) => abort('no'), {
        when: ({ part }) => JSON.stringify(part).includes(secret),
      });
      const ran = await runGuarded(way, { model: createModel([leakingAtLast]), guards: [guard] });
      expect(ran.error).toMatchObject({ name: 'TripwireError' });
      expect(ran.result).toBeUndefined();
      expect(publicView(ran)).not.toContain(secret);
    });

    it('an edit in outputStep applies to text, steps, stream and the next prompt', async () => {
      const model = createModel([{ ...leaking, reasoning: undefined, toolCalls: harmlessCall.toolCalls }]);
      const redact = guardOn('outputStep', ({ messages }) => {
        for (const { content } of messages ?? [])
          for (const part of content.parts) if (part.text) part.text = part.text.replaceAll(secret, '***');
        return messages;
      });
      const ran = await runGuarded(way, { model, guards: [redact], settings: { tools: fetchTool('fine') } });
      expect(ran.result?.steps[0]?.text).toBe('The code is ***. ');
      expect(publicView(ran)).not.toContain(secret);
      expect(promptsOf(model)).toContain('The code is ***. ');
      expect(promptsOf(model)).not.toContain(secret);
    });

    it('an edit of emitted text fails the run; without streaming, the edit applies', async () => {
      const redact = guardOn('outputStep', ({ messages }) => {
        for (const { content } of messages ?? [])
          for (const part of content.parts) if (part.text) part.text = part.text.replaceAll(secret, '***');
        return messages;
      });
      const ran = await runGuarded(way, {
        model: createModel([leakingAtLast]),
        guards: [redact],
        guardOptions: { hold: 'chunk' },
      });
      if (isStreamed(way))
        expect(ran.error).toMatchObject({ name: 'GuardUnavailableError', cause: { code: 'ai-sdk/late-edit' } });
      expect(ran.result?.text).toBe(isStreamed(way) ? undefined : 'The code is ***.');
    });

    it('text removed from a tool result is reported nowhere', async () => {
      const model = createModel([harmlessCall]);
      const redact = guardOn('toolResult', ({ messages }) => {
        const text = JSON.stringify(messages).replaceAll(secret, '***');
        return JSON.parse(text) as unknown;
      });
      const ran = await runGuarded(way, { model, guards: [redact], settings: { tools: fetchTool(secret) } });
      expect(ran.result?.steps[0]?.toolResults).toMatchObject([{ output: { result: '***' } }]);
      expect(publicView(ran)).not.toContain(secret);
      expect(promptsOf(model)).not.toContain(secret);
    });

    it('text removed by an input guard reaches the model in no step', async () => {
      const model = createModel([harmlessCall, harmlessCall, harmless]);
      const redact = guardOn('input', ({ messages }) => {
        for (const { content } of messages ?? [])
          for (const part of content.parts) if (part.text) part.text = part.text.replaceAll('charge me', '***');
      });
      const ran = await runGuarded(way, { model, guards: [redact], settings: { tools: fetchTool('fine') } });
      expect(ran.error).toBeUndefined();
      expect(model.calls).toHaveLength(3);
      expect(promptsOf(model)).not.toContain('charge me');
      expect(promptsOf(model)).toContain('Please ***.');
    });
  });
});
