import { serve } from '@hono/node-server';
import { openAICompatible } from '../chat/provider.js';
import { startResponder } from '../responder/responder.js';
import { createApp } from '../server/http/app.js';
import { openMemoryStore } from '../server/store/memory-store.js';
import { createStudio } from '../server/studio.js';
import { createSamples } from './samples.js';

const { baseUrl, model } = await startResponder();
const { mastra, examples } = createSamples(openAICompatible({ url: baseUrl, id: model }));
const studio = createStudio({ mastra, examples, store: openMemoryStore() });
serve({ fetch: createApp(studio).fetch, port: 4477, hostname: '127.0.0.1' }, ({ port }) =>
  console.log(`The studio: http://127.0.0.1:${port}`),
);
