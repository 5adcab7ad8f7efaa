import type { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import { MASTRA_VERSIONS_KEY, RequestContext } from '@mastra/core/request-context';
import { InMemoryStore } from '@mastra/core/storage';
import { createTool } from '@mastra/core/tools';
import { describe, expect, it, vi } from 'vitest';
import { InterlockAgent, memoryEngine, type InterlockAgentConfig } from '../../src/index.js';
import { scriptedModel, tripping } from '../../src/testing/index.js';

/** A store's data of an agent: instructions by version, and the published version. */
interface Stored {
  readonly versions: Readonly<Record<string, string>>;
  published?: string;
}

/** The part of an editor that Mastra calls for a stored version, as in `@mastra/editor`. */
const editorWith = (stored: Readonly<Partial<Record<string, Stored>>>) => ({
  registerWithMastra: () => undefined,
  agent: {
    applyStoredOverrides: async (agent: Agent, wanted: { versionId?: string }) => {
      const { versions = {}, published } = stored[agent.id] ?? {};
      const versionId = wanted.versionId ?? published;
      if (versionId === undefined) return agent;
      if (versions[versionId] === undefined) throw new Error(`no version ${versionId}`);
      const fork = agent['__fork']();
      fork['__updateInstructions'](versions[versionId]);
      fork['__setRawConfig']({ resolvedVersionId: versionId });
      return fork;
    },
  },
});

const stored = (): { a: Stored; sub: Stored } => ({
  a: { versions: { v1: 'Version 1.', v2: 'Version 2.' } },
  sub: { versions: { s1: 'Sub-version 1.' } },
});

type Model = ReturnType<typeof scriptedModel>;

const setUp = (
  config: Partial<InterlockAgentConfig> = {},
  model: Model = scriptedModel({ steps: [{ text: 'Hello.' }, { text: 'Hello.' }] }),
) => {
  const agent = new InterlockAgent({ id: 'a', name: 'A', instructions: 'Code.', ...(config as object), model });
  const kept = stored();
  const mastra = new Mastra({
    agents: { a: agent },
    logger: false,
    storage: new InMemoryStore(),
    editor: editorWith(kept) as never,
  });
  return { agent, mastra, model, kept, systemPrompts: () => model.calls.map(({ prompt }) => systemOf(prompt)) };
};

const systemOf = (prompt: unknown): string =>
  (prompt as { role: string; content: string }[]).flatMap(({ role, content }) => (role === 'system' ? [content] : [])).join(' ');

describe('a call that selects a stored version', () => {
  it.each(['generate', 'stream'] as const)('%s answers with its instructions and the guards of the code', async (method) => {
    const { agent, systemPrompts } = setUp();
    const versions = { agents: { a: { versionId: 'v1' } } };
    const result = method === 'generate' ? await agent.generate('Hi', { versions }) : await agent.stream('Hi', { versions });
    expect(await result.text).toBe('Hello.');
    await agent.generate('Hi');
    expect(systemPrompts()).toEqual(['Version 1.', 'Code.']);

    const guarded = setUp({ inputProcessors: [tripping('processInput', 'No.')] });
    expect(await guarded.agent.generate('Hi', { versions })).toMatchObject({ status: 'tripwire' });
    expect(guarded.model.calls).toEqual([]);
  });

  it('reads the request context before the Mastra instance, and the call before both', async () => {
    const { agent, mastra, kept, systemPrompts } = setUp();
    kept.a.published = 'v2';
    const requestContext = new RequestContext();
    requestContext.set(MASTRA_VERSIONS_KEY, { defaultStatus: 'published' });
    vi.spyOn(mastra, 'getVersionOverrides').mockReturnValue({ agents: { a: { versionId: 'v1' } } });
    await agent.generate('Hi');
    await agent.generate('Hi', { requestContext, versions: { agents: { a: { status: 'published' } } } });
    expect(systemPrompts()).toEqual(['Version 1.', 'Version 2.']);
  });

  it('answers with the code and logs a warning if the version does not exist', async () => {
    const { agent, mastra, systemPrompts } = setUp();
    const warn = vi.spyOn(mastra.getLogger(), 'warn');
    await agent.generate('Hi', { versions: { agents: { a: { versionId: 'v9' } } } });
    expect(systemPrompts()).toEqual(['Code.']);
    expect(warn.mock.lastCall?.[1]).toMatchObject({ agentId: 'a', selector: { versionId: 'v9' } });
  });

  it('applies to sub-agents', async () => {
    const answering = scriptedModel({ steps: [{ text: 'From below.' }] });
    const sub = new InterlockAgent({ id: 'sub', name: 'Sub', description: 'Answers.', instructions: 'Code.', model: answering });
    const call = { toolCalls: [{ name: 'agent-sub', args: { prompt: 'Ask.' } }] };
    const { agent } = setUp({ agents: { sub } }, scriptedModel({ steps: [call, { text: 'Done.' }] }));
    await agent.generate('Hi', { versions: { agents: { sub: { versionId: 's1' } } } });
    expect(answering.calls.map(({ prompt }) => systemOf(prompt))).toEqual(['Sub-version 1.']);
  });

  it.each(['a call', 'the agent of a version'])('stays the same for a persisted run that is resumed: from %s', async (from) => {
    const send = createTool({ id: 'send', description: 'Sends.', requireApproval: true, execute: async () => 'sent' });
    const model = scriptedModel({ steps: [{ toolCalls: [{ name: 'send', args: {} }] }, { text: 'Sent.' }] });
    const { agent, mastra, kept, systemPrompts } = setUp({ tools: { send }, durability: memoryEngine() }, model);
    kept.a.published = 'v1';
    const versions = { agents: { a: { status: 'published' as const } } };
    const callee =
      from === 'a call' ? agent : ((await mastra.getAgent('a', { status: 'published' })) as unknown as InterlockAgent);
    const { runId } = await callee.generate('Send it.', from === 'a call' ? { versions } : {});
    kept.a.published = 'v2';
    expect(await agent.approveToolCallGenerate({ runId })).toMatchObject({ text: 'Sent.' });
    expect(systemPrompts()).toEqual(['Version 1.', 'Version 1.']);
  });

  it.each([
    [{ agents: { a: { status: 'newest' } } }, /versions\.agents\.a\.status/],
    [{ agent: {} }, /versions\.agent/],
  ])('rejects %j', async (versions, path) => {
    const { agent } = setUp();
    await expect(agent.generate('Hi', { versions: versions as never })).rejects.toThrow(path);
  });
});

describe('editor', () => {
  it('limits the fields that a stored version can change', () => {
    const { agent } = setUp({ editor: { instructions: true, tools: { description: true } } });
    expect(agent['__getEditorConfig']()).toEqual({ instructions: true, tools: { description: true } });
    expect(setUp({ editor: false }).agent['__getEditorConfig']()).toBe(false);
    expect(() => setUp({ editor: { guards: true } as never })).toThrow(/editor\.guards/);
  });
});
