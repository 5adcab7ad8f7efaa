import type { MessageList } from '@mastra/core/agent/message-list';
import { describe, expect, it } from 'vitest';
import { stepOf } from '../../guard/guard.js';
import { inSequence } from '../../guard/in-sequence.js';
import type { Phase, PhaseData } from '../row.js';
import { phaseRow } from '../table.js';
import {
  codeOf,
  contents,
  conversation,
  createScope,
  edited,
  judge,
  listOf,
  type message,
  model,
  payloads,
  toolPart,
  withHook,
} from '../test-setup.js';

const chain = <P extends Phase>(data: PhaseData<P>, hooks: ((args: never) => unknown)[], scope = createScope()) => {
  const row = phaseRow<P>(data.phase);
  return inSequence(
    hooks.map((run, index) => stepOf({ row, processor: withHook(`p${index}`, row.hook, run), path: `p${index}` })),
  )(data, scope);
};

describe('processLLMRequest', () => {
  const data = () => payloads.llmRequest(conversation());
  const prompt = [{ role: 'system' as const, content: 'Be brief.' }];
  const cached = { chunks: [] };

  it('rewrites the prompt; the next hook sees it', async () => {
    let seen: unknown;
    const verdict = await chain(data(), [() => ({ prompt }), ({ prompt: given }: { prompt: unknown }) => void (seen = given)]);
    expect(edited(verdict).prompt).toBe(prompt);
    expect(seen).toBe(prompt);
  });

  it('an empty prompt is a prompt', async () => {
    expect(edited(await chain(data(), [() => ({ prompt: [] })])).prompt).toEqual([]);
  });

  it('the first cached response wins; later hooks still run', async () => {
    const later = { chunks: [{ type: 'finish', payload: {} }] };
    const ran: number[] = [];
    const verdict = await chain(data(), [
      () => ({ response: cached }),
      () => {
        ran.push(1);
        return { response: later };
      },
    ]);
    expect(edited(verdict).response).toBe(cached);
    expect(ran).toEqual([1]);
  });

  it('is given prompt, model, step and list', async () => {
    const given = data();
    let seen: unknown;
    await chain(given, [(args) => void (seen = args)]);
    expect(seen).toMatchObject({ prompt: given.prompt, model, stepNumber: 1, steps: [], messageList: given.messageList });
  });

  it('a prompt changed in place is what the next hook is given', async () => {
    let seen: unknown;
    await chain(data(), [
      ({ prompt: given }: { prompt: unknown[] }) => void given.push({ role: 'user', content: [{ type: 'text', text: 'More.' }] }),
      ({ prompt: given }: { prompt: unknown[] }) => void (seen = given.length),
    ]);
    expect(seen).toBe(2);
  });

  it.each([[undefined], [null], [{}], [{ prompt: undefined, response: null }]])('%j: no change', async (answer) => {
    expect((await chain(data(), [() => answer])).kind).toBe('pass');
  });

  it.each([[42], ['x'], [[]], [{ prompt: 'x' }], [{ response: [] }], [{ response: {} }], [{ messages: [] }]])(
    '%j: refused',
    async (answer) => {
      expect(codeOf(await chain(data(), [() => answer]))).toBe('phase/invalid-result');
    },
  );
});

describe('processLLMResponse', () => {
  const data = () => ({ ...payloads.llmResponse(conversation()), fromCache: true, warnings: [], request: 'q', rawResponse: 'a' });

  it('is given the whole response', async () => {
    let seen: unknown;
    expect((await chain<'llmResponse'>(data(), [(args) => void (seen = args)])).kind).toBe('pass');
    expect(seen).toMatchObject({
      chunks: [],
      model,
      stepNumber: 1,
      fromCache: true,
      warnings: [],
      request: 'q',
      rawResponse: 'a',
    });
  });

  it.each([[{}], [42], [[]], ['x']])('only observes: %j is refused', async (answer) => {
    expect(codeOf(await chain<'llmResponse'>(data(), [() => answer]))).toBe('phase/invalid-result');
  });
});

describe('processAPIError', () => {
  const data = (own: object = {}) => ({ ...payloads.apiError(conversation()), ...own });

  it('asks for the call again with changed messages; later hooks are not asked', async () => {
    const ran: number[] = [];
    const given = data();
    const verdict = await chain<'apiError'>(given, [
      ({ messageList }: { messageList: MessageList }) => {
        messageList.removeByIds(['answer']);
        return { retry: true };
      },
      () => void ran.push(1),
    ]);
    expect(edited(verdict)).toMatchObject({ decision: 'retry' });
    expect(edited(verdict).messages.map(({ id }) => id)).toEqual(['question']);
    expect(ran).toEqual([]);
  });

  it.each([[undefined], [null], [{ retry: false }]])('%j: the next hook is asked', async (answer) => {
    const ran: number[] = [];
    expect((await chain<'apiError'>(data(), [() => answer, () => void ran.push(1)])).kind).toBe('pass');
    expect(ran).toEqual([1]);
  });

  it('is given the error and the tries of this call, not the retries of the run', async () => {
    let seen: unknown;
    const scope = createScope({ retryCount: 5 });
    await chain<'apiError'>(data({ retryCount: 2 }), [(args) => void (seen = args)], scope);
    expect(seen).toMatchObject({ error: { message: '400' }, retryCount: 2, stepNumber: 1 });
    await chain<'apiError'>(data(), [(args) => void (seen = args)], scope);
    expect(seen).toMatchObject({ retryCount: 0 });
  });

  it.each([[42], ['retry'], [true], [{}], [{ retry: 'yes' }], [[]]])('%j: refused', async (answer) => {
    expect(codeOf(await chain<'apiError'>(data(), [() => answer]))).toBe('phase/invalid-result');
  });
});

describe('processOutputStream', () => {
  const chunk = (text: string, type = 'text-delta') => ({ type, runId: 'run', from: 'AGENT', payload: { id: '1', text } });
  const data = (part: unknown = chunk('Hello'), own: object = {}) => ({ ...payloads.outputStream(conversation()), part, ...own });

  it('passes the same chunk on', async () => {
    expect((await chain<'outputStream'>(data(), [({ part }: { part: unknown }) => part])).kind).toBe('pass');
  });

  it('replaces a chunk; the next hook sees the new one', async () => {
    let seen: unknown;
    const verdict = await chain<'outputStream'>(data(), [
      () => chunk('Bye'),
      ({ part }: { part: unknown }) => {
        seen = part;
        return part;
      },
    ]);
    expect(edited(verdict).part).toEqual(chunk('Bye'));
    expect(seen).toEqual(chunk('Bye'));
  });

  it.each([[null], [undefined]])('%s drops the chunk; no later hook sees it', async (answer) => {
    const ran: number[] = [];
    const verdict = await chain<'outputStream'>(data(), [() => answer, () => void ran.push(1)]);
    expect(edited(verdict).part).toBeNull();
    expect(ran).toEqual([]);
  });

  it('a chunk that was dropped is not judged', async () => {
    const ran: number[] = [];
    expect((await chain<'outputStream'>(data(null), [() => void ran.push(1)])).kind).toBe('pass');
    expect(ran).toEqual([]);
  });

  it('a chunk changed in place reaches the next hook', async () => {
    let seen: unknown;
    await chain<'outputStream'>(data(), [
      ({ part }: { part: ReturnType<typeof chunk> }) => {
        part.payload.text = 'changed';
        return part;
      },
      ({ part }: { part: ReturnType<typeof chunk> }) => {
        seen = part.payload.text;
        return part;
      },
    ]);
    expect(seen).toBe('changed');
  });

  it('data parts are shown only to processors that ask for them', async () => {
    const row = phaseRow('outputStream');
    const seen: string[] = [];
    const see = (id: string, own = {}) =>
      stepOf({
        row,
        path: id,
        processor: withHook(id, row.hook, ({ part }: { part: unknown }) => (seen.push(id), part), own),
      });
    const guard = inSequence([see('no'), see('yes', { processDataParts: true })]);
    await guard(data({ type: 'data-note', data: 1 }), createScope());
    expect(seen).toEqual(['yes']);
    await guard(data(), createScope());
    expect(seen).toEqual(['yes', 'no', 'yes']);
  });

  it('streamParts: what this processor was given so far, the chunk included', async () => {
    const scope = createScope();
    const seen: string[][] = [[], []];
    const texts = (parts: { payload: { text: string } }[]) => parts.map(({ payload }) => payload.text).join('');
    const hooks = [
      ({ part, streamParts }: { part: ReturnType<typeof chunk>; streamParts: never[] }) => {
        seen[0]?.push(texts(streamParts));
        return chunk(part.payload.text.toUpperCase());
      },
      ({ part, streamParts }: { part: unknown; streamParts: never[] }) => {
        seen[1]?.push(texts(streamParts));
        return part;
      },
    ];
    for (const text of ['a', 'b']) await chain<'outputStream'>(data(chunk(text)), hooks, scope);
    expect(seen).toEqual([
      ['a', 'ab'],
      ['A', 'AB'],
    ]);
  });

  it('streamParts of a payload from outside come first', async () => {
    const last = chunk('b');
    let seen: unknown;
    await judge(data(last, { streamParts: [chunk('a'), last] }), ({ streamParts }: { streamParts: unknown[] }) => {
      seen = [...streamParts];
      return last;
    });
    expect(seen).toEqual([chunk('a'), last]);
  });

  it.each([[42], ['x'], [true], [[]], [{}], [{ type: 1 }]])('%j: refused', async (answer) => {
    expect(codeOf(await chain<'outputStream'>(data(), [() => answer]))).toBe('phase/invalid-result');
  });

  it('a chunk without a type fails closed', async () => {
    expect((await chain<'outputStream'>(data(42), [({ part }: { part: unknown }) => part])).kind).toBe('unavailable');
  });
});

describe('processToolResult', () => {
  type Args = { messageList: MessageList; messages: ReturnType<typeof message>[]; result: unknown };
  const data = () => payloads.toolResult(conversation());
  const resultPart = (result: unknown, state = 'result') => {
    const part = toolPart('call-1', result) as { toolInvocation: Record<string, unknown> };
    Object.assign(part.toolInvocation, { state });
    return part as never;
  };

  it('replaces the result inside the list; payload and next hook follow', async () => {
    let seen: unknown;
    const given = data();
    const verdict = await chain(given, [
      ({ messageList }: Args) => {
        messageList.updateToolInvocation(resultPart('redacted'));
        return messageList;
      },
      ({ result }: Args) => void (seen = result),
    ]);
    expect(edited(verdict)).toMatchObject({ result: 'redacted' });
    expect(seen).toBe('redacted');
    expect(contents(given.messageList as MessageList)).toHaveLength(2);
  });

  it('without returning anything, too', async () => {
    const verdict = await judge(data(), ({ messageList }: Args) => void messageList.updateToolInvocation(resultPart('x')));
    expect(edited(verdict).result).toBe('x');
  });

  it('by returned messages', async () => {
    const verdict = await judge(data(), ({ messages }: Args) =>
      messages.map((one) => (one.id === 'answer' ? { ...one, content: { ...one.content, parts: [resultPart('y')] } } : one)),
    );
    expect(edited(verdict).result).toBe('y');
  });

  it('an error in place of the result is what the next hook is given', async () => {
    const verdict = await judge(data(), ({ messageList }: Args) => {
      const part = resultPart(undefined, 'output-error') as { toolInvocation: Record<string, unknown> };
      part.toolInvocation.errorText = 'not for you';
      messageList.updateToolInvocation(part as never);
    });
    expect(edited(verdict).result).toBe('not for you');
  });

  it('a value under the name of Mastra’s engine follows under that name', async () => {
    const given = { ...data(), result: undefined, toolResultValue: 'found' };
    const verdict = await judge<'toolResult'>(
      given,
      ({ messageList }: Args) => void messageList.updateToolInvocation(resultPart('x')),
    );
    expect(edited(verdict)).toMatchObject({ result: undefined, toolResultValue: 'x' });
  });

  it('a hook that only reads changes nothing', async () => {
    expect((await judge(data(), ({ result }: Args) => void String(result))).kind).toBe('pass');
  });

  it('is given the call; a value under the name of Mastra’s engine counts', async () => {
    let seen: unknown;
    const given = { ...payloads.toolResult(listOf()), result: undefined, toolResultValue: 'engine', providerExecuted: true };
    await judge<'toolResult'>(given, (args) => void (seen = args));
    expect(seen).toMatchObject({
      toolName: 'lookup',
      toolCallId: 'call-1',
      args: { q: 1 },
      result: 'engine',
      providerExecuted: true,
      stepNumber: 1,
    });
  });
});

describe('processOutputStep and processOutputResult', () => {
  it('are given what the step and the run have come to', async () => {
    let step: unknown;
    let result: unknown;
    await judge(payloads.outputStep(conversation()), (args) => void (step = args));
    expect(step).toMatchObject({ stepNumber: 1, finishReason: 'stop', text: 'Hello', usage: { totalTokens: 2 }, steps: [] });
    await judge(payloads.outputResult(conversation()), (args) => void (result = args));
    expect(result).toMatchObject({ result: { text: 'Hello', finishReason: 'stop' } });
  });

  it('have defaults for what a form leaves out', async () => {
    let step: unknown;
    let result: unknown;
    const bare = { phase: 'outputStep' as const, messages: [], messageList: listOf(), stepNumber: 0 };
    await judge<'outputStep'>(bare, (args) => void (step = args));
    expect(step).toMatchObject({ usage: { inputTokens: undefined }, steps: [] });
    await judge<'outputResult'>({ phase: 'outputResult', messages: [], messageList: listOf() }, (args) => void (result = args));
    expect(result).toMatchObject({ result: { text: '', finishReason: 'unknown', steps: [] } });
  });
});
