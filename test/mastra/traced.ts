import type { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import type { AnyExportedSpan } from '@mastra/core/observability';
import { Observability, TestExporter } from '@mastra/observability';

import { settled } from './support.js';

type Traceable = Pick<Agent, '__registerMastra'>;

/** Traces all activity of agents from now on. */
export const traced = (...agents: unknown[]) => {
  const exporter = new TestExporter({ storeLogs: false });
  const observability = new Observability({ configs: { default: { serviceName: 'tests', exporters: [exporter] } } });
  const mastra = new Mastra({ observability, logger: false });
  for (const agent of agents) (agent as Traceable)['__registerMastra'](mastra);
  const spans = async (): Promise<AnyExportedSpan[]> => {
    await settled();
    return exporter.getAllSpans();
  };
  return { spans, everything: async () => (await spans(), JSON.stringify(exporter.events)), exporter };
};
