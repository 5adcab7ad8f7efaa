import { ignored, json, nextApp, nextAiSdkRoute, nextConfig, nextManifest, nextRoute, type Template } from './next-templates.js';

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

const assistant = `import { gateway } from 'ai';
import { guardedToolLoop } from 'mastra-interlock/ai-sdk';
import { defaultGuards, redactor } from 'mastra-interlock/guards';
import { scriptedModel } from 'mastra-interlock/testing';

/** Without a key an answer of this file. */
const model = process.env['AI_GATEWAY_API_KEY']
  ? gateway('openai/gpt-4.1-mini')
  : scriptedModel({
      specificationVersion: 'v4',
      steps: () => ({ text: 'Write to ada@example.com. (Set AI_GATEWAY_API_KEY to talk to a model.)' }),
    });

export const assistant = guardedToolLoop({
  model,
  instructions: 'You help. Answer in a few sentences.',
  guards: [defaultGuards({ for: 'chat' }), redactor({ id: 'addresses', strategy: 'replace', kinds: ['email', 'phone'] })],
});
`;

const mastra = `import { Mastra } from '@mastra/core';
import { Agent } from 'mastra-interlock';
import { defaultGuards, redactor } from 'mastra-interlock/guards';
import { scriptedModel } from 'mastra-interlock/testing';

/** Without a key an answer of this file. */
const model = process.env['OPENAI_API_KEY']
  ? 'openai/gpt-4.1-mini'
  : scriptedModel({ steps: () => ({ text: 'Write to ada@example.com. (Set OPENAI_API_KEY to talk to a model.)' }) });

const guards = defaultGuards({ for: 'chat' });

export const assistant = new Agent({
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
import { streamSSE } from 'hono/streaming';
import { isInterlockError } from 'mastra-interlock';
import { assistant } from './mastra.ts';

const app = new Hono();
app.post('/chat', async (context) => {
  const { fullStream } = await assistant.stream(await context.req.text(), { abortSignal: context.req.raw.signal });
  return streamSSE(context, async (events) => {
    const send = (event: string, data: unknown) => events.writeSSE({ event, data: JSON.stringify(data) });
    for await (const part of fullStream) {
      if (part.type === 'text-delta') await send('text', part.payload.text);
      // A guard rejected the attempt: its text is no longer valid.
      if (part.type === 'data-interlock-retract') await send('retract', {});
      if (part.type === 'tripwire') await send('blocked', 'I cannot help with that.');
      if (part.type === 'error') await send('error', isInterlockError(part.payload.error) ? part.payload.error.code : 'internal');
    }
  });
});
// A guard that fails is an outage, and not a pass.
app.onError((error, context) => context.json({ error: isInterlockError(error) ? error.code : 'internal' }, 503));

const port = Number(process.env['PORT'] ?? 4700);
serve({ fetch: app.fetch, port }, ({ port: open }) => console.log(\`curl -N -d 'Hello' http://localhost:\${open}/chat\`));
`;

const readme = (about: string, start: string, { key, entry }: { key: string; entry: string }): string => `# ${about}

    npm install
    ${start}

Without \`${key}\` the model returns a prepared answer with an email address, which a guard replaces.

- \`${entry}\` has the agent and its guards. \`defaultGuards\` blocks prompt injections and hides credentials; \`redactor\` hides addresses.
- \`npm run typecheck\` checks the types.
- \`npx mastra-interlock studio --entry ${entry}\` shows each run, and the decision of each guard.
`;

const ofMastra = { key: 'OPENAI_API_KEY', entry: 'mastra.ts' };
const ofAiSdk = { key: 'AI_GATEWAY_API_KEY', entry: 'assistant.ts' };

/** The files that `init --template` writes. */
export const templates: Readonly<Record<string, Template>> = {
  chat: {
    '.gitignore': ignored,
    'README.md': readme('A guarded agent in the terminal', 'npm start', ofMastra),
    'package.json': manifest('main.ts'),
    'tsconfig.json': tsconfig,
    'mastra.ts': mastra,
    'main.ts': chatMain,
  },
  api: {
    '.gitignore': ignored,
    'README.md': readme('A guarded agent over HTTP, as server-sent events', 'npm start', ofMastra),
    'package.json': manifest('main.ts', { '@hono/node-server': '^2.1.8', hono: '^4.13.19' }),
    'tsconfig.json': tsconfig,
    'mastra.ts': mastra,
    'main.ts': apiMain,
  },
  next: {
    'README.md': readme('A guarded chat with Next.js and Mastra', 'npm run dev', ofMastra),
    'package.json': nextManifest(
      { check: 'mastra-interlock check --entry mastra.ts' },
      { '@mastra/ai-sdk': '^1.10.4', '@mastra/core': '^1.71.0' },
    ),
    ...nextApp(nextConfig('@mastra/core', 'mastra-interlock'), nextRoute),
    'mastra.ts': mastra,
  },
  'next-ai-sdk': {
    'README.md': readme('A guarded chat with Next.js and the AI SDK', 'npm run dev', ofAiSdk),
    'package.json': nextManifest({}, {}),
    ...nextApp(nextConfig('mastra-interlock'), nextAiSdkRoute),
    'assistant.ts': assistant,
  },
};
