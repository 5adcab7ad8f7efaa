/** The files of an application to begin with, by path. */
type Template = Readonly<Record<string, string>>;

const json = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;

const manifest = (main: string, dependencies: Readonly<Record<string, string>> = {}): string =>
  json({
    private: true,
    type: 'module',
    scripts: { start: `node ${main}`, check: 'mastra-interlock check --entry mastra.ts', typecheck: 'tsc' },
    engines: { node: '>=22.18' },
    dependencies: { '@mastra/core': '^1.71.0', ...dependencies, 'mastra-interlock': 'latest', zod: '^4.6.7' },
    devDependencies: { '@types/node': '^24.19.2', typescript: '^7.0.2' },
  });

const tsconfig = json({
  compilerOptions: {
    target: 'ES2024',
    module: 'NodeNext',
    types: ['node'],
    strict: true,
    verbatimModuleSyntax: true,
    erasableSyntaxOnly: true,
    allowImportingTsExtensions: true,
    noEmit: true,
    skipLibCheck: true,
  },
  include: ['*.ts'],
});

const mastra = `import { Mastra } from '@mastra/core';
import { InterlockAgent } from 'mastra-interlock';
import { defaultGuards, redactor } from 'mastra-interlock/guards';
import { scriptedModel } from 'mastra-interlock/testing';

/** Without a key an answer of this file. */
const model = process.env['OPENAI_API_KEY']
  ? 'openai/gpt-4.1-mini'
  : scriptedModel({ steps: () => ({ text: 'Write to ada@example.com. (Set OPENAI_API_KEY to talk to a model.)' }) });

const guards = defaultGuards({ for: 'chat' });

export const assistant = new InterlockAgent({
  id: 'assistant',
  name: 'Assistant',
  instructions: 'You help. Answer in a few sentences.',
  model,
  inputProcessors: [guards],
  outputProcessors: [guards, redactor({ id: 'addresses', strategy: 'replace', kinds: ['email', 'phone'] })],
});

export const mastra = new Mastra({ agents: { assistant } });
`;

const chatMain = `import { createInterface } from 'node:readline/promises';
import { assistant } from './mastra.ts';

const terminal = createInterface({ input: process.stdin, output: process.stdout });
terminal.setPrompt('you: ');
terminal.prompt();
for await (const line of terminal) {
  const stream = await assistant.stream(line);
  for await (const part of stream.fullStream) {
    if (part.type === 'text-delta') process.stdout.write(part.payload.text);
    if (part.type === 'tripwire') process.stdout.write(\`[stopped by \${part.payload.processorId}]\`);
  }
  console.log();
  terminal.prompt();
}
`;

const apiMain = `import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { isInterlockError } from 'mastra-interlock';
import { assistant } from './mastra.ts';

const app = new Hono();
app.post('/chat', async (context) => {
  const { tripwire, text } = await assistant.generate(await context.req.text());
  return tripwire ? context.json({ error: 'I cannot help with that.' }, 422) : context.json({ text });
});
// A guard that fails is an outage, and not a pass.
app.onError((error, context) => context.json({ error: isInterlockError(error) ? error.code : 'internal' }, 503));

const port = Number(process.env['PORT'] ?? 4700);
serve({ fetch: app.fetch, port }, () => console.log(\`curl -d 'Hello' http://localhost:\${port}/chat\`));
`;

/** What `init --template` writes. */
export const templates: Readonly<Record<string, Template>> = {
  chat: { 'package.json': manifest('main.ts'), 'tsconfig.json': tsconfig, 'mastra.ts': mastra, 'main.ts': chatMain },
  api: {
    'package.json': manifest('main.ts', { '@hono/node-server': '^2.1.8', hono: '^4.13.19' }),
    'tsconfig.json': tsconfig,
    'mastra.ts': mastra,
    'main.ts': apiMain,
  },
};
