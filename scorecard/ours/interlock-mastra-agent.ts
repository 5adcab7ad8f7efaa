import { Agent } from '@mastra/core/agent';

import { guardsFor } from '../../src/index.js';
import type { Host } from '../host.js';
import { pipelineOf } from './interlock.js';
import { host as mastra } from './mastra.js';
import { openMastra, type Compose } from './mastra-agent.js';

const lanes: Compose = (guards, side) =>
  guards.length > 0
    ? (guardsFor(pipelineOf(guards, `${side}-guards`))[side === 'input' ? 'inputProcessors' : 'outputProcessors'] ?? [])
    : [];

export const host: Host = {
  ...mastra,
  id: 'interlock-mastra-agent',
  name: 'Mastra agent, our pipeline',
  packages: ['mastra-interlock', '@mastra/core'],
  docs: [],
  sideBySide: true,
  open: (setup) => openMastra(setup, { make: (config) => new Agent(config as never), compose: lanes }),
};
