import type { Agent } from '@mastra/core/agent';
import type { RunEvent } from '../../../schemas/index.js';
import type { Run } from '../../loop/run.js';
import { errorOf } from './result.js';

interface LogRecord {
  readonly level: 'error' | 'warn';
  readonly message: string;
  readonly fields: object;
}

/**
 * Writes what an operator has to know into the logger of the agent's Mastra instance: a run that failed, a run that a guard stopped, a
 * model call that is made again, a guard that was not there and was let pass. An agent without a Mastra instance has no logger.
 */
export const createRunLog = (agent: Agent, runOf: () => Run | undefined): ((event: RunEvent) => void) => {
  const logger = agent.getMastraInstance()?.getLogger();
  if (!logger) return () => undefined;
  return (event) => {
    const record = recordOf(event, runOf());
    if (record) logger[record.level](record.message, { agent: agent.name, runId: event.runId, ...record.fields });
  };
};

const recordOf = (event: RunEvent, run: Run | undefined): LogRecord | undefined => {
  if (event.type === 'run-finish') return endOf(event, run);
  if (event.type === 'guard-bypass' && event.reason !== 'sampled-out') {
    const { processorId, phase, path, reason, calls } = event;
    return {
      level: 'warn',
      message: 'A guard gave no verdict and was let pass',
      fields: { processorId, phase, path, reason, calls },
    };
  }
  if (event.type === 'model-error' && event.recovered)
    return { level: 'warn', message: 'A model call failed and is made again', fields: { error: event.message } };
  return undefined;
};

/** The reason of a tripwire is what its guard lets be known; its metadata may be anything, and is left out. */
const endOf = (
  { status, tripwire, error }: Extract<RunEvent, { type: 'run-finish' }>,
  run: Run | undefined,
): LogRecord | undefined => {
  if (status === 'failed')
    return { level: 'error', message: 'Error in agent run', fields: { error: run?.error === undefined ? error : errorOf(run) } };
  if (status !== 'tripwire' || !tripwire) return undefined;
  const { reason, processorId, phase, path, retry, kind } = tripwire;
  const message = kind === 'unavailable' ? 'A guard gave no verdict and stopped the run' : 'Processor tripwire triggered';
  return { level: kind === 'unavailable' ? 'error' : 'warn', message, fields: { reason, processorId, phase, path, retry } };
};
