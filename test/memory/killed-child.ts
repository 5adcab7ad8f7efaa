import { LibSQLStore } from '@mastra/libsql';
import { Memory } from '@mastra/memory';
import { InterlockAgent } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';

/** Answers one question, and is killed at the given moment: `state after-ms`. */
const [url = '', state = '', afterMs = '0'] = process.argv.slice(2);
const die = () => process.kill(process.pid, 'SIGKILL');

const agent = new InterlockAgent({
  id: 'killed',
  name: 'Killed',
  instructions: 'Answer.',
  model: scriptedModel({ steps: [{ text: 'The code is ZEBRA.' }, { text: 'I must not tell.' }] }),
  memory: new Memory({ storage: new LibSQLStore({ id: 'disk', url }) }),
  outputProcessors: [
    {
      id: 'no-codes',
      processOutputStep: ({ text = '', abort, messageList }) =>
        text.includes('ZEBRA') ? abort('no codes', { retry: true }) : messageList,
    },
  ],
  maxProcessorRetries: 1,
  onRunEvent: (event) => {
    if (event.type !== 'state-enter' || event.state !== state) return;
    if (afterMs === '0') die();
    else setTimeout(die, Number(afterMs));
  },
});

const { text } = await agent.generate('Which code?', { memory: { thread: 'thread-1', resource: 'user-1' } });
process.stdout.write(text);
die();
