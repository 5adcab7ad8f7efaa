import { RequestContext } from '@mastra/core/request-context';
import { describe, expect, it } from 'vitest';

import { tripping } from '../../src/testing/index.js';
import { modes, promptOf } from '../mastra/support.js';
import { openDisk, recalling, remembering, target } from './support.js';

describe.each(modes)('semantic recall in %s', (mode) => {
  const ask = async (agent: ReturnType<typeof remembering>['agent'], text: string, thread = target.thread) => {
    const result = await agent[mode](text, { memory: { ...target, thread }, requestContext: new RequestContext() });
    return result.text;
  };
  const answers = [{ text: 'Noted.' }, { text: 'Sunny.' }, { text: 'Rex.' }];

  it('finds an earlier message by its meaning', async () => {
    const { agent, model } = remembering(recalling(openDisk()), answers);
    await ask(agent, 'My dog is called Rex');
    await ask(agent, 'What about the weather');
    await ask(agent, 'How is my dog called');
    expect(promptOf(model, 2).slice(1)).toEqual([
      ['user', 'My dog is called Rex'],
      ['assistant', 'Sunny.'],
      ['user', 'How is my dog called'],
    ]);
  });

  it('finds it also in another thread of the same resource', async () => {
    const { agent, model } = remembering(recalling(openDisk(), 'resource'), answers);
    await ask(agent, 'My dog is called Rex');
    await ask(agent, 'What about the weather', 'thread-2');
    await ask(agent, 'How is my dog called', 'thread-2');
    const remembered = promptOf(model, 2).filter(([role]) => role === 'system');
    expect(JSON.stringify(remembered)).toContain('My dog is called Rex');
  });

  it('does not search or store rejected messages, not even in the vector tables', async () => {
    const disk = openDisk();
    const outputProcessors = [tripping('processOutputResult', 'No.', { times: 1 })];
    const { agent, model } = remembering(
      recalling(disk),
      [{ text: 'REJECTED-0815 dog' }, { text: 'Sunny.' }, { text: 'No idea.' }],
      {
        outputProcessors,
      },
    );
    await ask(agent, 'My dog SECRET-4711');
    await ask(agent, 'What about the weather');
    await ask(agent, 'How is my dog called');
    expect(JSON.stringify(promptOf(model, 2))).not.toContain('SECRET-4711');
    expect(disk.holds('SECRET-4711')).toBe(false);
    expect(disk.holds('REJECTED-0815')).toBe(false);
    expect(disk.holds('What about the weather')).toBe(true);
  });
});
