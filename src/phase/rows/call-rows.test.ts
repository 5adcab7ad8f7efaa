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

  it('rewrites the prompt for the next hook', async () => {
    let seen: unknown;
    const verdict = await chain(data(), [() => ({ prompt }), ({ prompt: given }: { prompt: unknown }) => void (seen = given)]);
    expect(edited(verdict).prompt).toBe(prompt);
    expect(seen).toBe(prompt);
  });

  it('accepts an empty prompt', async () => {
    expect(edited(await chain(data(), [() => ({ prompt: [] })])).prompt).toEqual([]);
  });

  it('uses the first cached response, and still runs later hooks', async () => {
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

  it('receives prompt, model, step and list', async () => {
    const given = data();
    let seen: unknown;
    await chain(given, [(args) => void (seen = args)]);
    expect(seen).toMatchObject({ prompt: given.prompt, model, stepNumber: 1, steps: [], messageList: given.messageList });
  });

  it('passes a prompt changed in place to the next hook', async () => {
    let seen: unknown;
    await chain(data(), [
      ({ prompt: given }: { prompt: unknown[] }) => void given.push({ role: 'user', content: [{ type: 'text', text: 'More.' }] }),
      ({ prompt: given }: { prompt: unknown[] }) => void (seen = given.length),
    ]);
    expect(seen).toBe(2);
  });

  it.each([[undefined], [null], [{}], [{ prompt: undefined, response: null }]])('changes nothing for %j', async (answer) => {
    expect((await chain(data(), [() => answer])).kind).toBe('pass');
  });

  it.each([[42], ['x'], [[]], [{ prompt: 'x' }], [{ response: [] }], [{ response: {} }], [{ messages: [] }]])(
    'rejects %j',
    async (answer) => {
      expect(codeOf(await chain(data(), [() => answer]))).toBe('phase/invalid-result');
    },
  );
});

describe('processLLMResponse', () => {
  const data = () => ({ ...payloads.llmResponse(conversation()), fromCache: true, warnings: [], request: 'q', rawResponse: 'a' });

  it('receives the whole response', async () => {
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

  it.each([[{}], [42], [[]], ['x']])('only observes: rejects %j', async (answer) => {
    expect(codeOf(await chain<'llmResponse'>(data(), [() => answer]))).toBe('phase/invalid-result');
  });
});

describe('processAPIError', () => {
  const data = (own: object = {}) => ({ ...payloads.apiError(conversation()), ...own });

  it('requests a retry with changed messages, and skips later hooks', async () => {
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

  it.each([[undefined], [null], [{ retry: false }]])('calls the next hook after %j', async (answer) => {
    const ran: number[] = [];
    expect((await chain<'apiError'>(data(), [() => answer, () => void ran.push(1)])).kind).toBe('pass');
    expect(ran).toEqual([1]);
  });

  it('receives the error and the retry count of this call, not of the run', async () => {
    let seen: unknown;
    const scope = createScope({ retryCount: () => 5 });
    await chain<'apiError'>(data({ retryCount: 2 }), [(args) => void (seen = args)], scope);
    expect(seen).toMatchObject({ error: { message: '400' }, retryCount: 2, stepNumber: 1 });
    await chain<'apiError'>(data(), [(args) => void (seen = args)], scope);
    expect(seen).toMatchObject({ retryCount: 0 });
  });

  it.each([[42], ['retry'], [true], [{}], [{ retry: 'yes' }], [[]]])('rejects %j', async (answer) => {
    expect(codeOf(await chain<'apiError'>(data(), [() => answer]))).toBe('phase/invalid-result');
  });
});

describe('processOutputStream', () => {
  const chunk = (text: string, type = 'text-delta') => ({ type, runId: 'run', from: 'AGENT', payload: { id: '1', text } });
  const data = (part: unknown = chunk('Hello'), own: object = {}) => ({ ...payloads.outputStream(conversation()), part, ...own });

  it('passes an unchanged chunk', async () => {
    expect((await chain<'outputStream'>(data(), [({ part }: { part: unknown }) => part])).kind).toBe('pass');
  });

  it('replaces a chunk for the next hook', async () => {
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

  it.each([[null], [undefined]])('drops the chunk for %s, and skips later hooks', async (answer) => {
    const ran: number[] = [];
    const verdict = await chain<'outputStream'>(data(), [() => answer, () => void ran.push(1)]);
    expect(edited(verdict).part).toBeNull();
    expect(ran).toEqual([]);
  });

  it('skips a dropped chunk', async () => {
    const ran: number[] = [];
    expect((await chain<'outputStream'>(data(null), [() => void ran.push(1)])).kind).toBe('pass');
    expect(ran).toEqual([]);
  });

  it('passes a chunk changed in place to the next hook', async () => {
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

  it('passes data parts only to processors with `processDataParts`', async () => {
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

  it('collects the chunks of each processor in streamParts, including the current one', async () => {
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

  it('starts with the streamParts of the payload', async () => {
    const last = chunk('b');
    let seen: unknown;
    await judge(data(last, { streamParts: [chunk('a'), last] }), ({ streamParts }: { streamParts: unknown[] }) => {
      seen = [...streamParts];
      return last;
    });
    expect(seen).toEqual([chunk('a'), last]);
  });

  it.each([[42], ['x'], [true], [[]], [{}], [{ type: 1 }]])('rejects %j', async (answer) => {
    expect(codeOf(await chain<'outputStream'>(data(), [() => answer]))).toBe('phase/invalid-result');
  });

  it('fails closed for a chunk without a type', async () => {
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

  it('replaces the result in the list, the payload and the next hook', async () => {
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

  it('replaces the result without a return value', async () => {
    const verdict = await judge(data(), ({ messageList }: Args) => void messageList.updateToolInvocation(resultPart('x')));
    expect(edited(verdict).result).toBe('x');
  });

  it('replaces the result by returned messages', async () => {
    const verdict = await judge(data(), ({ messages }: Args) =>
      messages.map((one) => (one.id === 'answer' ? { ...one, content: { ...one.content, parts: [resultPart('y')] } } : one)),
    );
    expect(edited(verdict).result).toBe('y');
  });

  it('replaces the result with an error', async () => {
    const verdict = await judge(data(), ({ messageList }: Args) => {
      const part = resultPart(undefined, 'output-error') as { toolInvocation: Record<string, unknown> };
      part.toolInvocation.errorText = 'not for you';
      messageList.updateToolInvocation(part as never);
    });
    expect(edited(verdict).result).toBe('not for you');
  });

  it('replaces `toolResultValue`, the field of Mastra’s engine', async () => {
    const given = { ...data(), result: undefined, toolResultValue: 'found' };
    const verdict = await judge<'toolResult'>(
      given,
      ({ messageList }: Args) => void messageList.updateToolInvocation(resultPart('x')),
    );
    expect(edited(verdict)).toMatchObject({ result: undefined, toolResultValue: 'x' });
  });

  it('passes if a hook only reads', async () => {
    expect((await judge(data(), ({ result }: Args) => void String(result))).kind).toBe('pass');
  });

  it('receives the call, with `toolResultValue` as the result', async () => {
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
  it('receive the results of the step and of the run', async () => {
    let step: unknown;
    let result: unknown;
    await judge(payloads.outputStep(conversation()), (args) => void (step = args));
    expect(step).toMatchObject({ stepNumber: 1, finishReason: 'stop', text: 'Hello', usage: { totalTokens: 2 }, steps: [] });
    await judge(payloads.outputResult(conversation()), (args) => void (result = args));
    expect(result).toMatchObject({ result: { text: 'Hello', finishReason: 'stop' } });
  });

  it('have defaults for missing fields', async () => {
    let step: unknown;
    let result: unknown;
    const bare = { phase: 'outputStep' as const, messages: [], messageList: listOf(), stepNumber: 0 };
    await judge<'outputStep'>(bare, (args) => void (step = args));
    expect(step).toMatchObject({ usage: { inputTokens: undefined }, steps: [] });
    await judge<'outputResult'>({ phase: 'outputResult', messages: [], messageList: listOf() }, (args) => void (result = args));
    expect(result).toMatchObject({ result: { text: '', finishReason: 'unknown', steps: [] } });
  });
});
