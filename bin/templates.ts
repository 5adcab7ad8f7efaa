/** The files of a new application, by path. */
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

const nextManifest = (scripts: Readonly<Record<string, string>>, dependencies: Readonly<Record<string, string>>): string =>
  json({
    private: true,
    type: 'module',
    scripts: { dev: 'next dev', build: 'next build', start: 'next build && next start', ...scripts, typecheck: 'tsc' },
    engines: { node: '>=22.18' },
    dependencies: {
      '@ai-sdk/react': '^4.0.177',
      ...dependencies,
      ai: '^7.0.173',
      'mastra-interlock': 'latest',
      next: '^16.4.6',
      react: '^19.3.1',
      'react-dom': '^19.3.1',
      zod: '^4.6.7',
    },
    devDependencies: { '@types/node': '^24.19.2', '@types/react': '^19.3.0', typescript: '^5.9.3' },
  });

const nextTsconfig = json({
  compilerOptions: {
    target: 'ES2024',
    lib: ['ES2024', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
    module: 'ESNext',
    moduleResolution: 'bundler',
    jsx: 'react-jsx',
    types: ['node'],
    strict: true,
    verbatimModuleSyntax: true,
    isolatedModules: true,
    allowJs: true,
    esModuleInterop: true,
    resolveJsonModule: true,
    allowImportingTsExtensions: true,
    noEmit: true,
    incremental: true,
    skipLibCheck: true,
    plugins: [{ name: 'next' }],
  },
  include: ['next-env.d.ts', '**/*.ts', '**/*.tsx', '.next/types/**/*.ts', '.next/dev/types/**/*.ts'],
  exclude: ['node_modules'],
});

const nextConfig = (...packages: readonly string[]): string => `import type { NextConfig } from 'next';

// Packages that run on the server stay outside the bundle.
export default { serverExternalPackages: [${packages.map((name) => `'${name}'`).join(', ')}] } satisfies NextConfig;
`;

const nextLayout = `import type { ReactNode } from 'react';

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  );
}
`;

const nextPage = `'use client';

import { useChat } from '@ai-sdk/react';
import { visibleMessages } from 'mastra-interlock/ui';
import { useState } from 'react';

export default function Page() {
  const [text, setText] = useState('');
  const { messages, sendMessage, setMessages, status, error } = useChat({
    // Removes rejected content from the chat's state, which the next request sends.
    onFinish: ({ messages: all }) => setMessages(visibleMessages(all)),
  });
  return (
    <main>
      {visibleMessages(messages).map(({ id, role, parts }) => (
        <p key={id}>
          <b>{role}: </b>
          {parts.map((part, at) => {
            if (part.type === 'text') return <span key={at}>{part.text}</span>;
            return part.type === 'data-tripwire' ? <em key={at}>I cannot help with that.</em> : null;
          })}
        </p>
      ))}
      {error && <p role="alert">Something went wrong. Try again.</p>}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void sendMessage({ text });
          setText('');
        }}
      >
        <input aria-label="Message" value={text} onChange={(event) => setText(event.target.value)} />
        <button disabled={status === 'submitted' || status === 'streaming' || text === ''}>Send</button>
      </form>
    </main>
  );
}
`;

const nextRoute = `import { handleChatStream } from '@mastra/ai-sdk';
import { createUIMessageStreamResponse } from 'ai';
import { errorResponse } from 'mastra-interlock';
import { mastra } from '../../../mastra.ts';

export async function POST(request: Request): Promise<Response> {
  try {
    // Only the messages: other fields of a request would be options of the call.
    const { messages } = await request.json();
    const stream = await handleChatStream({ mastra, agentId: 'assistant', params: { messages }, version: 'v7' });
    return createUIMessageStreamResponse({ stream });
  } catch (error) {
    return errorResponse(error);
  }
}
`;

const nextAiSdkRoute = `import { createAgentUIStreamResponse } from 'ai';
import { acceptedMessages } from 'mastra-interlock/ui';
import { assistant } from '../../../assistant.ts';

export async function POST(request: Request): Promise<Response> {
  // Only the messages: other fields of a request would be options of the call.
  const { messages } = await request.json();
  return createAgentUIStreamResponse({
    agent: assistant,
    // Without blocked questions and retracted answers.
    uiMessages: acceptedMessages(messages),
    abortSignal: request.signal,
  });
}
`;

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

const nextApp = (config: string, route: string): Template => ({
  'tsconfig.json': nextTsconfig,
  'next.config.ts': config,
  'app/layout.tsx': nextLayout,
  'app/page.tsx': nextPage,
  'app/api/chat/route.ts': route,
});

/** The files that `init --template` writes. */
export const templates: Readonly<Record<string, Template>> = {
  chat: { 'package.json': manifest('main.ts'), 'tsconfig.json': tsconfig, 'mastra.ts': mastra, 'main.ts': chatMain },
  api: {
    'package.json': manifest('main.ts', { '@hono/node-server': '^2.1.8', hono: '^4.13.19' }),
    'tsconfig.json': tsconfig,
    'mastra.ts': mastra,
    'main.ts': apiMain,
  },
  next: {
    'package.json': nextManifest(
      { check: 'mastra-interlock check --entry mastra.ts' },
      { '@mastra/ai-sdk': '^1.10.4', '@mastra/core': '^1.71.0' },
    ),
    ...nextApp(nextConfig('@mastra/core', 'mastra-interlock'), nextRoute),
    'mastra.ts': mastra,
  },
  'next-ai-sdk': {
    'package.json': nextManifest({}, {}),
    ...nextApp(nextConfig('mastra-interlock'), nextAiSdkRoute),
    'assistant.ts': assistant,
  },
};
