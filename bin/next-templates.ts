/** The files of a new application, by path. */
export type Template = Readonly<Record<string, string>>;

export const json = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;

export const ignored = 'node_modules/\n.env*\n.next/\nnext-env.d.ts\n*.tsbuildinfo\n';

export const nextManifest = (scripts: Readonly<Record<string, string>>, dependencies: Readonly<Record<string, string>>): string =>
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

export const nextConfig = (...packages: readonly string[]): string => `import type { NextConfig } from 'next';

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

export const nextRoute = `import { handleChatStream } from '@mastra/ai-sdk';
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

export const nextAiSdkRoute = `import { createAgentUIStreamResponse } from 'ai';
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

export const nextApp = (config: string, route: string): Template => ({
  '.gitignore': ignored,
  'tsconfig.json': nextTsconfig,
  'next.config.ts': config,
  'app/layout.tsx': nextLayout,
  'app/page.tsx': nextPage,
  'app/api/chat/route.ts': route,
});
