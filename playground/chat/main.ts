import { chat, once, type Session } from './chat.js';
import { readCommandLine, usage, type Command } from './command-line.js';
import { createConversation } from './conversation.js';
import { openModel } from './open-model.js';
import { readProvider, type Provider } from './provider.js';
import { humanScreen, jsonScreen } from './screen.js';
import { createOrderStore } from './shop/order-store.js';
import { createSupportAgent } from './shop/support-agent.js';
import { openTerminal } from './view/terminal.js';
import { welcome, whoAnswers } from './welcome.js';

const { env, stdin, stdout, stderr } = process;

const refuse = (say: string): number => {
  stderr.write(`${say}\n`);
  return 1;
};

type Asked = Extract<Command, { kind: 'chat' | 'once' }>;

const run = async (command: Asked, provider: Exclude<Provider, { kind: 'wrong' }>): Promise<number> => {
  const { model, name, close } = await openModel(provider);
  const store = createOrderStore();
  const screen = command.json
    ? jsonScreen({ events: (line) => void stdout.write(line), complaints: (line) => void stderr.write(line) })
    : humanScreen(openTerminal(stdout, env));
  const conversation = createConversation(createSupportAgent(model, store));
  try {
    return await begin(command, { conversation, screen, store, modelName: name });
  } finally {
    await close();
  }
};

const begin = (command: Asked, session: Session): Promise<number> => {
  const { screen, modelName } = session;
  if (command.kind === 'once') {
    screen.note(`${whoAnswers(modelName, screen.columns)}\n`);
    return once(session, command.text);
  }
  screen.note(`${welcome(modelName, screen.columns)}\n`);
  return chat(session, { input: stdin, output: command.json ? stderr : stdout, prompt: 'you › ' });
};

const main = async (): Promise<number> => {
  const command = readCommandLine(process.argv.slice(2));
  if (command.kind === 'wrong') return refuse(command.say);
  if (command.kind === 'help') {
    stdout.write(`${usage}\n`);
    return 0;
  }
  const provider = readProvider(env);
  return provider.kind === 'wrong' ? refuse(provider.say) : run(command, provider);
};

// A reader that has left, as `head` does, is no failure.
stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

process.exitCode = await main();
