import { MessageList } from '@mastra/core/agent';
import { describe, expect, it } from 'vitest';
import { responseQuality } from './response-quality.js';
import { assistant, user } from './test-setup.js';

const good = 'The parcel left our warehouse on Monday and will arrive on Thursday.';

const run = async (text: string, options?: Parameters<typeof responseQuality>[0], retryCount = 0) => {
  const started = await responseQuality(options).createRun();
  const [question, answer] = [user('where?'), assistant(text)];
  const messageList = new MessageList().add(question, 'input').add(answer, 'response');
  const payload = { messages: [question, answer], messageList, systemMessages: [], stepNumber: 0, text, retryCount };
  return started.start({ inputData: { phase: 'outputStep', ...payload } });
};

describe('responseQuality', () => {
  it('is a processor workflow with a configurable id', () => {
    expect(responseQuality()).toMatchObject({ id: 'response-quality', type: 'processor' });
    expect(responseQuality({ id: 'mine' }).id).toBe('mine');
  });

  it('in Mastra’s engine: passes a good answer unchanged', async () => {
    const result = await run(good);
    expect(result).toMatchObject({
      status: 'success',
      result: { messages: [{ role: 'user' }, { content: { parts: [{ text: good }] } }] },
    });
  });

  it.each([
    ['Yes.', 0, { processorId: 'quality', retry: true }],
    ['Yes.', 2, { processorId: 'quality', retry: false }],
    [`${good} Ask jane@example.com.`, 0, { processorId: 'leak' }],
  ])('in Mastra’s engine: %j after %d retries trips', async (text, retryCount, tripwire) => {
    expect(await run(text, {}, retryCount)).toMatchObject({ status: 'tripwire', tripwire });
  });

  it('passes the options to the guards', async () => {
    const options = { quality: { minChars: 3 }, leak: { allow: ['example.com'] } };
    expect(await run('Ask jane@example.com.', options)).toMatchObject({ status: 'success' });
  });
});
