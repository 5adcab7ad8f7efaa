import { ModelRouterLanguageModel } from '@mastra/core/llm';
import { describe, expect, it } from 'vitest';
import { InterlockAgent } from '../../src/index.js';
import { scriptedModel, tripping } from '../../src/testing/index.js';
import { all, callThen, echo } from './support.js';

/** A model of Mastra's router over a scripted one, whose streams leave a connection open. */
const routed = ({ closeOnFinish, close = () => undefined }: { closeOnFinish: boolean; close?: () => void }) => {
  const scripted = scriptedModel({ steps: callThen('echo', { say: 'hi' }) });
  const model = new ModelRouterLanguageModel({ id: 'test/model', url: 'http://127.0.0.1:9', apiKey: 'none' });
  const log: string[] = [];
  const transport = { type: 'openai-websocket', closeOnFinish, close: () => (log.push('closed'), close()) };
  model.doStream = async (options) => {
    log.push('called');
    const result = await scripted.doStream(options);
    return Object.defineProperty(result, Symbol.for('@mastra/core.modelStreamTransport'), { value: transport });
  };
  return { model, log, transport };
};

const streamWith = async (model: object, config: object = {}) => {
  const agent = new InterlockAgent({ id: 'a', name: 'A', instructions: 'Answer.', model, tools: { echo }, ...config } as never);
  const stream = await agent.stream('Hi');
  await all(stream.fullStream);
  return stream;
};

describe('a connection that the model router keeps open', () => {
  it('is closed once, when the run ends', async () => {
    const { model, log, transport } = routed({ closeOnFinish: true });
    const stream = await streamWith(model);
    expect(stream.status).toBe('success');
    expect(stream.transport).toBe(transport);
    expect(log).toEqual(['called', 'called', 'closed']);
  });

  it('is closed when a guard stops the run, and an error of it changes nothing', async () => {
    const close = () => {
      throw new Error('broken');
    };
    const { model, log } = routed({ closeOnFinish: true, close });
    const stream = await streamWith(model, { outputProcessors: [tripping('processOutputStep', 'No.')] });
    expect(stream.status).toBe('tripwire');
    expect(log).toEqual(['called', 'closed']);
  });

  it('stays open for the caller with closeOnFinish: false', async () => {
    const { model, log } = routed({ closeOnFinish: false });
    const stream = await streamWith(model);
    expect(log).toEqual(['called', 'called']);
    stream.transport?.close();
    expect(log.at(-1)).toBe('closed');
  });
});
