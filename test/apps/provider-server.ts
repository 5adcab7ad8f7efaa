import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import type { MastraModelConfig } from '@mastra/core/llm';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

import { formats, seedOf, type Answer, type ModelRequest } from './provider-formats.js';

/** Derives the answer from the request alone: equal requests get equal answers. */
export type Reply = (request: ModelRequest) => Answer;

/** A local server in place of the providers, and the real clients of the providers for it. */
export const startProviders = async (reply: Reply) => {
  const requests: { readonly path: string; readonly body: unknown }[] = [];
  const server = createServer((req, res) => {
    void json(req).then((parsed) => {
      const body = parsed as Record<string, unknown>;
      const path = req.url ?? '';
      const format = formats[path];
      if (!format) return res.writeHead(404).end();
      requests.push({ path, body });
      const request = format.read(body);
      const answer = reply(request);
      const seed = seedOf(request);
      if (body['stream'] !== true) {
        return res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(format.body(answer, seed)));
      }
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const event of format.events(answer, seed))
        res.write(`event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`);
      return res.end();
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const connection = { baseURL: `http://127.0.0.1:${port}`, apiKey: 'none' };
  return {
    requests,
    clients: {
      openai: modelsOf(createOpenAI(connection)),
      anthropic: modelsOf(createAnthropic(connection)),
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
};

/** The AI SDK's model type has one finish reason more than Mastra's. */
const modelsOf =
  (client: (id: string) => object) =>
  (id: string): MastraModelConfig =>
    client(id) as MastraModelConfig;

export type Clients = Awaited<ReturnType<typeof startProviders>>['clients'];
