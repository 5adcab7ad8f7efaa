import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Processor } from '@mastra/core/processors';
import { MCPClient } from '@mastra/mcp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { makeAgent, modes } from './support.js';
import { weatherServer } from './mcp-weather-server.js';

/** The connections to a server, with their close functions. */
const transports = {
  'a child process over stdio': async () => {
    const args = ['--import', './scripts/strip-types.mjs', new URL('mcp-weather-server.ts', import.meta.url).pathname];
    const client = new MCPClient({ id: 'stdio', servers: { weather: { command: process.execPath, args, stderr: 'ignore' } } });
    return { client, close: () => client.disconnect() };
  },
  'HTTP on the loopback': async () => {
    const server = weatherServer();
    const http = createServer((req, res) => {
      const url = new URL(req.url ?? '/', 'http://localhost');
      void server.startHTTP({ url, httpPath: '/mcp', req, res });
    });
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    const url = new URL(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`);
    const client = new MCPClient({ id: 'http', servers: { weather: { url } } });
    const close = async () => {
      await client.disconnect();
      await server.close();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    };
    return { client, close };
  },
};

describe.each(Object.entries(transports))('tools of an MCP server: %s', (_name, open) => {
  let opened: Awaited<ReturnType<typeof open>>;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(async () => opened.close());

  const call = (name: string, args: object) => [{ toolCalls: [{ name, args }] }, { text: 'Done.' }];

  describe.each(modes)('%s', (mode) => {
    it('run as toolsets of a call and as tools of the agent', async () => {
      const steps = call('weather_forecast', { city: 'Oslo' });
      const asTools = makeAgent(steps, { tools: await opened.client.listTools() });
      const asToolset = makeAgent(steps);
      const toolsets = { weather: await opened.client.listTools() };
      for (const answer of [
        await asTools.agent[mode]('Hi'),
        await asToolset.agent[mode]('Hi', { toolsets: toolsets as never }),
      ]) {
        expect(await answer.text).toBe('Done.');
        const [result] = (await answer.steps)[0]?.toolResults ?? [];
        expect(JSON.stringify(result?.payload)).toContain('clear over Oslo');
      }
      for (const { model } of [asTools, asToolset]) {
        const [offered] = model.calls[0]?.options.tools ?? [];
        expect(offered).toMatchObject({ name: 'weather_forecast', description: 'The weather of a city.' });
        expect(JSON.stringify(model.calls[1]?.prompt)).toContain('clear over Oslo');
      }
    });

    it('guards of tool results can read, change and reject the result', async () => {
      const seen: unknown[] = [];
      const redacts: Processor = {
        id: 'redacts',
        processToolResult: async ({ toolName, result, messages }) => {
          seen.push([toolName, JSON.stringify(result).includes('clear over Oslo')]);
          return JSON.parse(JSON.stringify(messages).replaceAll('Oslo', '…')) as typeof messages;
        },
      };
      const tools = await opened.client.listTools();
      const { agent, model } = makeAgent(call('weather_forecast', { city: 'Oslo' }), { tools, outputProcessors: [redacts] });
      const answer = await agent[mode]('Hi');
      expect(await answer.text).toBe('Done.');
      expect(seen).toEqual([['weather_forecast', true]]);
      expect(JSON.stringify(model.calls[1]?.prompt)).toContain('clear over …');
      expect(JSON.stringify(model.calls[1]?.prompt)).not.toContain('clear over Oslo');

      const stops: Processor = { id: 'stops', processToolResult: async ({ abort }) => abort('Not this one.') };
      const stopped = makeAgent(call('weather_forecast', { city: 'Oslo' }), { tools, outputProcessors: [stops] });
      const refused = await stopped.agent[mode]('Hi');
      expect([await refused.text, refused.tripwire?.reason]).toEqual(['', 'Not this one.']);
      expect(stopped.model.calls).toHaveLength(1);
    });

    it('a failing tool of the server is an error for the model, and the run continues', async () => {
      const tools = await opened.client.listTools();
      const { agent, model } = makeAgent(call('weather_broken', {}), { tools });
      const answer = await agent[mode]('Hi');
      expect(await answer.text).toBe('Done.');
      expect(JSON.stringify(model.calls[1]?.prompt)).toContain('no such station');
    });

    it('a stopped step calls no tool of the server', async () => {
      const stops: Processor = { id: 'stops', processOutputStep: async ({ abort }) => abort('No tools.') };
      const seen: string[] = [];
      const notes: Processor = {
        id: 'notes',
        processToolResult: async ({ toolName, messages }) => (seen.push(toolName), messages),
      };
      const tools = await opened.client.listTools();
      const { agent } = makeAgent(call('weather_forecast', { city: 'Oslo' }), { tools, outputProcessors: [stops, notes] });
      const answer = await agent[mode]('Hi');
      expect([await answer.text, answer.tripwire?.reason, seen]).toEqual(['', 'No tools.', []]);
    });
  });
});
