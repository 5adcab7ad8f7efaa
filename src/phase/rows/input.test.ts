import { describe, expect, it } from 'vitest';
import { createHost } from '../../mastra/workflow/scope.js';
import { inSequence } from '../../guard/in-sequence.js';
import { stepOf } from '../../guard/guard.js';
import type { PhaseData } from '../row.js';
import { phaseRow } from '../table.js';
import {
  codeOf,
  contents,
  conversation,
  createScope,
  edited,
  judge,
  model,
  oldModel,
  payloads,
  withHook,
} from '../test-setup.js';

type Args = Record<string, unknown>;
type Data = PhaseData<'inputStep'>;

const otherModel = { ...model, modelId: 'other' };

/** Runs hooks one after another, as a pipeline does. */
const chain = async (hooks: ((args: Args) => unknown)[], own: Partial<Data> = {}, scope = createScope()) => {
  const steps = hooks.map((run, index) =>
    stepOf({ row: phaseRow('inputStep'), processor: withHook(`p${index}`, 'processInputStep', run), path: `p${index}` }),
  );
  return inSequence(steps)({ ...payloads.inputStep(conversation()), ...own }, scope);
};

const settings = [
  ['model', otherModel],
  ['tools', { search: {} }],
  ['toolChoice', 'none'],
  ['toolChoice', { type: 'tool', toolName: 'search' }],
  ['activeTools', ['search']],
  ['activeTools', []],
  ['providerOptions', { openai: { reasoningEffort: 'low' } }],
  ['modelSettings', { temperature: 0 }],
  ['structuredOutput', { schema: {} }],
  ['messageId', 'next-answer'],
] as const;

describe('processInputStep', () => {
  it.each(settings)('sets %s for the payload and the next hook', async (name, value) => {
    let seen: unknown;
    const verdict = await chain([() => ({ [name]: value }), (args) => void (seen = args[name])]);
    expect((edited(verdict) as Record<string, unknown>)[name]).toBe(value);
    expect(seen).toBe(value);
  });

  it('keeps the fields of one hook if the next one sets other fields', async () => {
    const verdict = await chain([() => ({ model: otherModel }), () => ({ toolChoice: 'none' }), () => ({})]);
    expect(edited(verdict)).toMatchObject({ model: otherModel, toolChoice: 'none' });
  });

  it('passes the fields of one hook to the next one', async () => {
    const verdict = await chain([() => ({ tools: { a: {} } }), ({ tools }) => ({ tools: { ...(tools as object), b: {} } })]);
    expect(edited(verdict).tools).toEqual({ a: {}, b: {} });
  });

  it.each([
    ['undefined', undefined],
    ['an empty object', {}],
    ['empty fields', { model: undefined, tools: null, toolChoice: undefined, activeTools: null, messages: undefined }],
    ['unchanged values', { model, messageId: 'answer' }],
    ['a retry count', { retryCount: 7 }],
  ])('changes nothing for %s', async (_, answer) => {
    expect(await chain([() => answer])).toEqual({ kind: 'pass' });
  });

  it('sets messages and settings together', async () => {
    const data = payloads.inputStep(conversation());
    const verdict = await judge(data, () => ({
      messages: [],
      toolChoice: 'none',
      systemMessages: [{ role: 'system', content: 'S' }],
    }));
    expect(edited(verdict)).toMatchObject({
      messages: [],
      toolChoice: 'none',
      systemMessages: [{ role: 'system', content: 'S' }],
    });
    expect(contents(data.messageList as never)).toEqual([]);
  });

  it('passes tools changed in place to the next hook', async () => {
    const tools = { safe: {}, dangerous: {} };
    let seen: unknown;
    await chain(
      [({ tools: given }) => void delete (given as Record<string, unknown>).dangerous, (args) => void (seen = args.tools)],
      {
        tools,
      },
    );
    expect(seen).toEqual({ safe: {} });
  });
});

describe('models', () => {
  it('are resolved by the host, also asynchronously', async () => {
    const models: unknown[] = [];
    const resolveModel = async (choice: unknown) => {
      models.push(choice);
      return otherModel as never;
    };
    const scope = createScope({ host: createHost(resolveModel) });
    let seen: unknown;
    const verdict = await chain([() => ({ model: 'openai/gpt-5' }), (args) => void (seen = args.model)], {}, scope);
    expect(models).toEqual(['openai/gpt-5']);
    expect(edited(verdict).model).toBe(otherModel);
    expect(seen).toBe(otherModel);
  });

  it('of specification v1 are rejected, before and after they are resolved', async () => {
    expect(codeOf(await chain([() => ({ model: oldModel })]))).toBe('phase/unsupported-model');
    const scope = createScope({ host: createHost(async () => oldModel as never) });
    expect(codeOf(await chain([() => ({ model: 'old/model' })], {}, scope))).toBe('phase/unsupported-model');
  });

  it('that do not resolve fail the guard with their own error', async () => {
    const scope = createScope({
      host: createHost(async () => {
        throw new RangeError('unknown model');
      }),
    });
    const verdict = await chain([() => ({ model: 'no/model' })], {}, scope);
    expect(verdict).toMatchObject({ kind: 'unavailable', error: { message: 'unknown model' } });
  });
});

describe('processInputStep with an invalid field', () => {
  it.each([
    ['model', 42],
    ['model', ''],
    ['tools', 'search'],
    ['tools', []],
    ['toolChoice', 1],
    ['toolChoice', 'banana'],
    ['toolChoice', { type: 'tool' }],
    ['activeTools', 'search'],
    ['activeTools', [1]],
    ['providerOptions', 'low'],
    ['modelSettings', 0],
    ['structuredOutput', true],
    ['messageId', 5],
    ['temperature', 0],
    ['hasOwnProperty', {}],
  ])('rejects %s: %j', async (name, value) => {
    const verdict = await chain([() => ({ [name]: value })]);
    expect(codeOf(verdict)).toBe('phase/invalid-result');
    expect(verdict.kind === 'unavailable' && String(verdict.error)).toContain(name);
  });
});

it('passes `llmRequestStage` to a processor that also has processLLMRequest', async () => {
  let seen: unknown;
  const processor = {
    ...withHook('both', 'processInputStep', ({ llmRequestStage }: Args) => void (seen = llmRequestStage)),
    processLLMRequest: () => undefined,
  };
  await inSequence([stepOf({ row: phaseRow('inputStep'), processor, path: 'both' })])(
    payloads.inputStep(conversation()),
    createScope(),
  );
  expect(seen).toBe(true);
});
