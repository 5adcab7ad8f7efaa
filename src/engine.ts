/** For authors of engines, and for applications that operate durable runs. */
export type {
  Append,
  BoardEntry,
  Durable,
  Engine,
  PersistedJournal,
  PersistedRun,
  PersistedRunFilter,
  PersistedStep,
  Program,
  ProgramCall,
  ProgramRuns,
  StartCall,
} from './durable/journal.js';
export type { EncryptionOptions } from './durable/encrypted.js';
export type { WaitingRun } from './mastra/durable/operation-options.js';
export type { PersistedRunStatus } from './mastra/durable/operation-options.js';
export type { RunSummary, RunMetrics } from './mastra/durable/run-operations.js';
