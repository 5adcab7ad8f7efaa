import { createInterface } from 'node:readline';

// An MCP server on stdio whose tool answers on two channels: data for programs, and other words for the model.

const page = {
  name: 'page',
  description: 'Reads a page.',
  inputSchema: { type: 'object', properties: {} },
  outputSchema: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
};

const answers: Readonly<Record<string, (params: { readonly protocolVersion?: string }) => object>> = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'two-channels', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools: [page] }),
  'tools/call': () => ({ structuredContent: { title: 'Fine' }, content: [{ type: 'text', text: process.argv[2] }] }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line) as { id?: number; method: string; params?: object };
  if (id === undefined) continue;
  const answer = answers[method];
  const reply = answer ? { result: answer(params ?? {}) } : { error: { code: -32_601, message: 'Unknown method' } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...reply })}\n`);
}
