import type { Agent } from '@mastra/core/agent';
import { safely } from '../safely.js';
import type { IgnoredFault } from '../options/option-table.js';

/** The options of an agent that were ignored, each of which is logged once. */
export interface IgnoredOptions {
  readonly agentId: string;
  readonly reportIgnored: (ignored: readonly IgnoredFault[]) => void;
  /** Logs those that are new, in one warning. */
  readonly log: (logger: Pick<Agent['logger'], 'warn'> | undefined) => void;
}

/** A request may contain any number of names. */
const maxNames = 20;

export const createIgnoredOptions = (agentId: string): IgnoredOptions => {
  const known = new Set<string>();
  let pending: string[] = [];
  return {
    agentId,
    reportIgnored: (ignored) => {
      for (const { ignoredName, path, detail } of ignored) {
        if (known.has(ignoredName) || known.size >= maxNames) continue;
        known.add(ignoredName);
        pending.push(`${JSON.stringify(path.slice(0, 100))}: ${detail ?? 'it is not supported.'}`);
      }
    },
    log: (logger) => {
      if (!logger || pending.length === 0) return;
      const lines = pending.map((line) => `- ${line}`).join('\n');
      pending = [];
      void safely(() => logger.warn(`Agent "${agentId}" ignores options without an effect here:\n${lines}`));
    },
  };
};
