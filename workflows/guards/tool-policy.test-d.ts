import { createTool } from '@mastra/core/tools';
import { tool } from 'ai';
import { z } from 'zod';
import { urlRule } from '../tool-policy/argument-rules.js';
import { toolPolicy } from './tool-policy.js';

const tools = {
  fetch: createTool({ id: 'fetch', description: 'f', inputSchema: z.object({ url: z.string() }), execute: async () => 'x' }),
  send: tool({ inputSchema: z.object({ to: z.string(), files: z.array(z.string()) }), execute: async () => 'x' }),
};

// Names of tools and arguments come from the tools, of Mastra and of the AI SDK.
toolPolicy<typeof tools>({
  tools: {
    fetch: { args: { url: urlRule() } },
    send: { args: { to: () => undefined, 'files.*': () => undefined }, notAfter: ['fetch'] },
  },
});
// @ts-expect-error there is no such argument
toolPolicy<typeof tools>({ tools: { fetch: { args: { uri: urlRule() } } } });
// @ts-expect-error there is no such argument
toolPolicy<typeof tools>({ tools: { send: { args: { from: urlRule() } } } });
// @ts-expect-error there is no such tool
toolPolicy<typeof tools>({ tools: { delete: 'deny' } });
// @ts-expect-error there is no such tool
toolPolicy<typeof tools>({ tools: { send: { notAfter: ['delete'] } } });
// Without the type of the tools any name is accepted.
toolPolicy({ tools: { whatever: { args: { x: () => undefined } } } });
