import type { Processor } from '@mastra/core/processors';
import { MockMemory } from '@mastra/core/memory';
import { createTool } from '@mastra/core/tools';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';

import type { InterlockAgent, InterlockAgentConfig, InterlockCallOptions } from '../../src/index.js';
import { suspendingTool, begin, charging, no, resume, yes, type Sat, type StreamedChunk } from './approval-support.js';
import { redactor } from '../../workflows/guards/index.js';
import { makeAgent, modes, type Mode } from './support.js';

const opening = 'I will charge you. ';
const script = [{ text: opening, toolCalls: [{ name: 'charge', args: { amount: 5 } }] }, { text: 'Done.' }];
const more = [{ text: opening, toolCalls: [{ name: 'charge', args: { amount: 5 } }] }, { text: 'Done.' }];

interface Case {
  mode: Mode;
  config?: Partial<InterlockAgentConfig>;
  options?: InterlockCallOptions;
  answer?: unknown;
  steps?: typeof script;
}

/** A suspended run before a charge, and its outcome after the answer. */
const both = async ({ mode, config, options, answer = yes, steps = script }: Case) => {
  const log: unknown[] = [];
  const { agent, model } = makeAgent(steps, { tools: { charge: charging(log) }, ...config });
  const first = await begin(agent, mode, options);
  expect([first.result.status, log]).toEqual(['suspended', []]);
  const second = await resume(agent, mode, answer, { runId: first.result.runId });
  return { log, model, first, second };
};

const wordsIn = ({ chunks }: Sat): string =>
  chunks.map(({ payload }) => (payload?.['text'] as string | undefined) ?? '').join('');
const retracted = ({ ofType }: Sat): unknown[] =>
  ofType('data-interlock-retract').flatMap(({ data }) => data?.['partIds'] as unknown[]);

type Abort = (reason: string, options?: { retry?: boolean }) => never;

const onResult = (act: (abort: Abort) => unknown): Processor =>
  ({ id: 'judge', processToolResult: async ({ abort }: { abort: Abort }) => act(abort) }) as Processor;

describe.each(modes)('guards after an approval, in %s', (mode) => {
  it('a tripwire on the tool result ends the run and retracts its text', async () => {
    const { second, first, model, log } = await both({
      mode,
      config: { outputProcessors: [onResult((abort) => abort('Bad.'))] },
    });
    expect(log).toEqual([5]);
    expect([second.result.status, second.result.text, second.result.tripwire?.reason]).toEqual(['tripwire', '', 'Bad.']);
    expect(second.ofType('tool-result')).toEqual([]);
    expect(second.ofType('tripwire')).toHaveLength(1);
    expect(model.calls).toHaveLength(1);
    const visibleIds = [...first.ofType('text-delta').map(({ payload }) => payload?.['id']), 'call-0-0'];
    expect(retracted(second)).toEqual(expect.arrayContaining([...new Set(visibleIds)]));
    expect(JSON.stringify(second.result.steps)).not.toContain(opening);
  });

  it('the reason of a declined call is checked like an error, before the model reads it', async () => {
    const answer = { approved: false, reason: 'Ask jane@example.com.' };
    const hidden = redactor({ strategy: 'replace', places: ['result'] });
    const { model, second } = await both({ mode, answer, config: { outputProcessors: [hidden] } });
    expect(second.result.status).toBe('success');
    expect(second.ofType('tool-output-denied')[0]?.payload?.['approval']).toMatchObject({ reason: 'Ask [EMAIL].' });
    expect(JSON.stringify(model.calls[1]?.prompt)).toContain('Ask [EMAIL].');
    expect(JSON.stringify([model.calls[1]?.prompt, second])).not.toContain('jane@');
    const stopped = await both({ mode, answer, steps: more, config: { outputProcessors: [redactor({ strategy: 'block' })] } });
    expect([stopped.second.result.status, stopped.model.calls.length]).toEqual(['tripwire', 1]);
  });

  it('a retry retracts the earlier output, requests approval again and counts as a retry', async () => {
    let calls = 0;
    const guard = onResult((abort) => (++calls === 1 ? abort('Again.', { retry: true }) : undefined));
    const { second, model, log } = await both({
      mode,
      steps: [...more.slice(0, 1), ...script],
      config: { outputProcessors: [guard], maxProcessorRetries: 1, hold: 'none' },
    });
    expect([second.result.status, log]).toEqual(['suspended', [5]]);
    expect(retracted(second)).toContain('call-0-0');
    expect(second.ofType('tool-call-approval')).toMatchObject([{ payload: { toolCallId: 'call-1-0' } }]);
    expect(JSON.stringify(model.calls[1]?.prompt)).toContain('Again.');
    expect(JSON.stringify(model.calls[1]?.prompt)).not.toContain(opening);
    expect(second.result.runEvents.at(-1)).toMatchObject({ type: 'run-finish', status: 'suspended', retries: 1 });
  });

  it.each([
    ['waited for a person', { name: 'charge', args: { amount: 5 } }, [yes, yes], ['note', 5]], // the user is asked again
    ['requested data', { name: 'ask', args: { about: 'x' } }, [{ city: 'Bonn' }], ['note', 'x', { city: 'Bonn' }]],
  ])('after a retry no tool repeats its effect, before or after one that %s', async (_, resting, answers, effects) => {
    const log: unknown[] = [];
    let judged = 0;
    const again = onResult((abort) => (++judged === 2 ? abort('Again.', { retry: true }) : undefined));
    const note = createTool({
      id: 'note',
      description: 'Notes.',
      inputSchema: z.object({}),
      execute: async () => (log.push('note'), { noted: true }),
    });
    const toolCalls = [{ name: 'note', args: {} }, resting];
    const { agent } = makeAgent([{ toolCalls }, { toolCalls }, { text: 'Done.' }], {
      tools: { note, charge: charging(log), ask: suspendingTool(log) },
      outputProcessors: [again],
      maxProcessorRetries: 1,
    });
    let { result } = await begin(agent, mode);
    for (const answer of answers) {
      expect(result.status).toBe('suspended');
      ({ result } = await resume(agent, mode, answer, { runId: result.runId }));
    }
    expect([result.status, result.text, log]).toEqual(['success', 'Done.', effects]);
  });

  it('a rejected run result retracts all output', async () => {
    const guard: Processor = { id: 'last', processOutputResult: async ({ abort }) => abort('No.') };
    const { first, second } = await both({ mode, config: { outputProcessors: [guard], hold: 'none' } });
    expect([second.result.status, second.result.text]).toEqual(['tripwire', '']);
    const ids = new Set([...first.ofType('text-delta'), ...second.ofType('text-delta')].map(({ payload }) => payload?.['id']));
    expect(ids.size).toBe(2);
    expect(retracted(second)).toEqual(expect.arrayContaining([...ids]));
    expect(JSON.stringify(second.result.messages)).not.toContain(opening);
  });

  it('guards keep their state across run segments', async () => {
    const seen: unknown[] = [];
    const guard: Processor = {
      id: 'counting',
      processInputStep: async ({ state }) => {
        state['count'] = ((state['count'] as number | undefined) ?? 0) + 1;
        seen.push(state['count']);
        return undefined;
      },
    };
    await both({ mode, config: { inputProcessors: [guard] } });
    expect(seen).toEqual([1, 2]);
  });

  it('limits count over all run segments', async () => {
    const steps = [...script.slice(0, 1), ...script.slice(0, 1), ...script];
    const { second } = await both({ mode, steps, options: { maxSteps: 1 } });
    expect([second.result.status, second.result.steps.length]).toEqual(['success', 1]);
  });

  const flow = ({ chunks }: Sat) =>
    chunks.map(({ type }) => type).filter((type) => /^(step-|tool-(call|result)$|tool-call-approval$|text-delta$)/.test(type));
  const onAnswer = (name: 'processOutputStep' | 'processOutputResult'): Processor => ({
    id: 'late',
    [name]: ({ messages }: { messages: unknown }) => messages,
  });

  it.each([
    ['none', {}],
    ['step', { hold: 'step' as const }],
    ['auto, with a guard of steps', { outputProcessors: [onAnswer('processOutputStep')] }],
  ])('hold %s: the step that its guards have accepted precedes the approval', async (_name, config) => {
    const { first, second } = await both({ mode, config });
    expect(flow(first)).toEqual(['step-start', 'text-delta', 'tool-call', 'tool-call-approval']);
    expect(flow(second)).toEqual(['tool-result', 'step-finish', 'step-start', 'text-delta', 'step-finish']);
    expect([first, second].map(wordsIn)).toEqual([opening, 'Done.']);
  });

  it.each([
    ['run', { hold: 'run' as const }],
    ['auto, with a guard of results', { outputProcessors: [onAnswer('processOutputResult')] }],
  ])('hold %s: the call precedes its approval and leaves once, the text is emitted after acceptance', async (_name, config) => {
    const { first, second } = await both({ mode, config });
    expect(flow(first)).toEqual(['tool-call', 'tool-call-approval']);
    expect(wordsIn(first)).toBe('');
    expect(first.result.toolCalls).toMatchObject([{ payload: { toolCallId: 'call-0-0', args: { amount: 5 } } }]);
    expect(wordsIn(second)).toBe(`${opening}Done.`);
    const step = ['step-start', 'text-delta'];
    expect(flow(second)).toEqual([...step, 'tool-result', 'step-finish', ...step, 'step-finish']);
    expect(retracted(second)).toEqual([]);
  });

  it('hold step: retracts what preceded the approval if a guard rejects the result', async () => {
    const config = { outputProcessors: [onResult((abort) => abort('Bad.'))], hold: 'step' as const };
    const { second } = await both({ mode, config });
    expect([second.result.status, wordsIn(second)]).toEqual(['tripwire', '']);
    expect(retracted(second)).toContain('call-0-0');
  });

  it('hold run: never emits rejected text, and retracts the call that preceded the approval', async () => {
    const config = { outputProcessors: [onResult((abort) => abort('Bad.'))], hold: 'run' as const };
    const { first, second } = await both({ mode, config });
    expect(second.result.status).toBe('tripwire');
    expect(wordsIn(first) + wordsIn(second)).toBe('');
    expect(retracted(second)).toEqual(['call-0-0']);
  });

  it('hold run: a retry retracts the call before the next approval', async () => {
    let times = 0;
    const guard = onResult((abort) => (times++ === 0 ? abort('Again.', { retry: true }) : undefined));
    const config = { outputProcessors: [guard], maxProcessorRetries: 1, hold: 'run' as const };
    const { agent } = makeAgent([...script.slice(0, 1), ...more], { tools: { charge: charging([]) }, ...config });
    const first = await begin(agent, mode);
    const second = await resume(agent, mode, yes, { runId: first.result.runId });
    expect(second.result.status).toBe('suspended');
    expect(flow(second)).toEqual(['tool-call', 'tool-call-approval']);
    expect(second.chunks.findIndex(({ type }) => type === 'data-interlock-retract')).toBeLessThan(
      second.chunks.findIndex(({ type }) => type === 'tool-call'),
    );
    expect(retracted(second)).toEqual(['call-0-0']);
    const third = await resume(agent, mode, yes, { runId: first.result.runId });
    expect([third.result.status, wordsIn(third), retracted(third)]).toEqual(['success', `${opening}Done.`, []]);
  });

  it('ignores the late output of a guard from the first run segment', async () => {
    let writeLate: () => Promise<void> | undefined = () => undefined;
    const guard: Processor = {
      id: 'late',
      processOutputStep: async ({ writer, messages }) => {
        writeLate = () => writer?.custom({ type: 'data-late', data: 1 });
        return messages;
      },
    };
    const log: unknown[] = [];
    const { agent } = makeAgent(script, { tools: { charge: charging(log) }, outputProcessors: [guard] });
    const { result } = await begin(agent, mode);
    await writeLate();
    const second = await resume(agent, mode, yes, { runId: result.runId });
    expect(second.result.status).toBe('success');
    expect(second.ofType('data-late')).toEqual([]);
  });

  it('guards judge a declined step like any other', async () => {
    const guard: Processor = { id: 'last', processOutputResult: async ({ abort }) => abort('No.') };
    const { second, log } = await both({ mode, answer: no, config: { outputProcessors: [guard] } });
    expect([second.result.status, log]).toEqual(['tripwire', []]);
  });
});

describe.each(modes)('sub-agents that need approval, in %s', (mode) => {
  const supervise = (sub: InterlockAgent) =>
    makeAgent([{ toolCalls: [{ name: 'agent-sub', args: { prompt: 'Charge.' } }] }, { text: 'All done.' }], {
      agents: { sub } as never,
    });

  it('suspends the supervisor and resumes the sub-agent at the same point', async () => {
    const log: unknown[] = [];
    const sub = makeAgent(script, { tools: { charge: charging(log) }, description: 'Charges.' });
    const { agent, model } = supervise(sub.agent);
    const first = await begin(agent, mode);
    expect([first.result.status, log]).toEqual(['suspended', []]);
    expect(JSON.stringify(first.result.suspendPayload)).toContain('"toolName":"charge","args":{"amount":5}');
    const second = await resume(agent, mode, yes, { runId: first.result.runId });
    expect([second.result.status, second.result.text, log]).toEqual(['success', 'All done.', [5]]);
    expect(sub.model.calls).toHaveLength(2);
    expect(JSON.stringify(model.calls[1]?.prompt.at(-1))).toContain('Done.');
  });

  it('a sub-agent that waits for several approvals requests each', async () => {
    const log: unknown[] = [];
    const toolCalls = [1, 2].map((amount) => ({ name: 'charge', args: { amount } }));
    const sub = makeAgent([{ toolCalls }, { text: 'Done.' }], { tools: { charge: charging(log) }, description: 'Charges.' });
    const { agent } = supervise(sub.agent);
    const first = await begin(agent, mode);
    const suspensions = JSON.stringify(first.result.suspendPayload).includes('"amount":1') ? 1 : 2;
    const second = await resume(agent, mode, no, { runId: first.result.runId });
    expect([second.result.status, log]).toEqual(['suspended', []]);
    expect(JSON.stringify(second.result.suspendPayload)).toContain(`"amount":${3 - suspensions}`);
    const third = await resume(agent, mode, yes, { runId: first.result.runId });
    expect([third.result.text, log]).toEqual(['All done.', [3 - suspensions]]);
  });

  it('a sub-agent whose resumed run is blocked returns a refusal', async () => {
    const log: unknown[] = [];
    const sub = makeAgent(script, {
      tools: { charge: charging(log) },
      outputProcessors: [onResult((abort) => abort('Bad.'))],
      description: 'Charges.',
    });
    const { agent, model } = supervise(sub.agent);
    const first = await begin(agent, mode);
    const second = await resume(agent, mode, yes, { runId: first.result.runId });
    expect([second.result.status, log]).toEqual(['success', [5]]);
    const toolResult = JSON.stringify(model.calls[1]?.prompt.at(-1));
    expect(toolResult).toContain('agent/refused');
    expect(toolResult).not.toContain(opening);
  });
});

describe.each(modes)('the payload of a suspended tool, in %s', (mode) => {
  const mail = 'ann@example.com';
  const guardOf = (strategy: 'replace' | 'block') => redactor({ strategy, kinds: ['email'] });
  const lookingUp = (log: unknown[]) =>
    createTool({
      id: 'lookUp',
      description: 'Finds an approver.',
      inputSchema: z.object({}),
      resumeSchema: z.object({ ok: z.boolean() }),
      execute: async (_input, { agent }) => {
        const { resumeData, suspend, suspendPayload } = (agent ?? {}) as NonNullable<typeof agent> & { suspendPayload?: unknown };
        if (resumeData) return void log.push(suspendPayload);
        return suspend?.({ question: `May ${mail} know?` });
      },
    });
  const steps = [{ toolCalls: [{ name: 'lookUp', args: {} }] }, { text: 'Done.' }];

  const inPlace: Processor = {
    id: 'in-place',
    processOutputStream: async ({ part }) => {
      const { suspendPayload } = ((part as { payload?: object }).payload ?? {}) as { suspendPayload?: { question: string } };
      if (suspendPayload) suspendPayload.question = suspendPayload.question.replace(mail, '[EMAIL]');
      return part;
    },
  };

  it.each([
    ['in a copy', guardOf('replace')],
    ['in place', inPlace],
  ])('is read by stream guards: content that they redact %s is in no chunk, result, list or memory', async (_case, by) => {
    const log: unknown[] = [];
    const memory = new MockMemory();
    const { agent } = makeAgent(steps, { tools: { lookUp: lookingUp(log) }, outputProcessors: [by], memory });
    const { result, chunks, ofType } = await begin(agent, mode, { memory: { thread: 't', resource: 'r' } });
    expect(ofType('tool-call-suspended')).toMatchObject([{ payload: { suspendPayload: { question: 'May [EMAIL] know?' } } }]);
    const kept = [result, chunks, await agent.listSuspendedRuns({}), await memory.recall({ threadId: 't', resourceId: 'r' })];
    expect(JSON.stringify(kept)).not.toContain(mail);
    expect(JSON.stringify(kept).match(/May \[EMAIL\] know/g)?.length).toBeGreaterThan(3);
    await resume(agent, mode, { ok: true }, { runId: result.runId });
    expect(log).toEqual([{ question: `May ${mail} know?` }]); // the tool has its own
  });

  it('is read once per suspended call', async () => {
    const read: unknown[] = [];
    const reader: Processor = {
      id: 'reader',
      processOutputStream: async ({ part }) => {
        if (part.type.startsWith('tool-call-suspended'))
          read.push((part as { payload?: { toolCallId?: string } }).payload?.toolCallId);
        return part;
      },
    };
    const ask = (about: string) => ({ name: 'ask', args: { about } });
    const { agent } = makeAgent([{ toolCalls: [ask('sun'), ask('moon')] }, { text: 'Done.' }], {
      tools: { ask: suspendingTool([]) },
      outputProcessors: [reader],
    });
    const { runId } = (await begin(agent, mode)).result;
    await resume(agent, mode, { city: 'Rome' }, { runId, toolCallId: 'call-0-0' });
    expect(read).toEqual(['call-0-0', 'call-0-1']);
  });

  it('stops the run if a guard blocks it', async () => {
    const { agent, model } = makeAgent(steps, { tools: { lookUp: lookingUp([]) }, outputProcessors: [guardOf('block')] });
    const stopWhen = vi.fn(() => false);
    const { result, chunks } = await begin(agent, mode, { stopWhen });
    expect([result.status, model.calls.length, stopWhen.mock.calls]).toEqual(['tripwire', 1, []]);
    expect(JSON.stringify([result, chunks])).not.toContain(mail);
    expect((await agent.listSuspendedRuns({})).runs).toEqual([]);
  });

  it('is reduced to the call if a guard drops it', async () => {
    const drops: Processor = {
      id: 'drops',
      processOutputStream: async ({ part }) => (part.type.startsWith('tool-call-suspended') ? null : part),
    };
    const { agent } = makeAgent(steps, { tools: { lookUp: lookingUp([]) }, outputProcessors: [drops] });
    const { result, chunks } = await begin(agent, mode);
    expect([result.status, (result.suspendPayload as StreamedChunk['payload'])?.['toolName']]).toEqual(['suspended', 'lookUp']);
    expect(JSON.stringify([result, chunks])).not.toContain(mail);
  });

  it('of a sub-agent is read by the guards of its supervisor', async () => {
    const log: unknown[] = [];
    const send = createTool({
      id: 'send',
      description: 'Sends.',
      inputSchema: z.object({ to: z.string() }),
      requireApproval: true,
      execute: async ({ to }) => void log.push(to),
    });
    const sub = makeAgent([{ toolCalls: [{ name: 'send', args: { to: mail } }] }, { text: 'Sent.' }], {
      tools: { send },
      description: 'Sends.',
    });
    const { agent } = makeAgent([{ toolCalls: [{ name: 'agent-sub', args: { prompt: 'Go.' } }] }, { text: 'Done.' }], {
      agents: { sub: sub.agent } as never,
      outputProcessors: [guardOf('replace')],
    });
    const { result, chunks } = await begin(agent, mode);
    expect(JSON.stringify(result.suspendPayload)).toContain('"toolName":"send","args":{"to":"[EMAIL]"}');
    const listed = JSON.stringify(await agent.listSuspendedRuns({}));
    expect(listed).toContain('[EMAIL]');
    expect(JSON.stringify([result, chunks, listed])).not.toContain(mail);
    await resume(agent, mode, yes, { runId: result.runId });
    expect(log).toEqual([mail]);
  });
});

describe('a tool that fails after it suspended', () => {
  it('fails, and no approval is requested', async () => {
    const broken = createTool({
      id: 'broken',
      description: 'Breaks.',
      inputSchema: z.object({}),
      execute: async (_input, { agent }) => {
        await agent?.suspend?.({});
        throw new Error('broken');
      },
    });
    const { agent } = makeAgent([{ toolCalls: [{ name: 'broken', args: {} }] }, { text: 'Done.' }], { tools: { broken } });
    const { result, ofType } = await begin(agent, 'generate');
    expect([result.status, ofType('tool-error').length]).toEqual(['success', 1]);
  });

  it('data for a tool is validated against its schema', async () => {
    const log: unknown[] = [];
    const { agent, model } = makeAgent([{ toolCalls: [{ name: 'ask', args: { about: 'sun' } }] }, { text: 'Done.' }], {
      tools: { ask: suspendingTool(log) },
    });
    const { runId } = (await begin(agent, 'generate')).result;
    const { result } = await resume(agent, 'generate', { city: 7 }, { runId });
    expect([result.status, log]).toEqual(['success', ['sun']]);
    expect(JSON.stringify(model.calls[1]?.prompt.at(-1))).toContain('city');
  });
});
