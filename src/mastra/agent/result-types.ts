import type { FullOutput, MastraModelOutput } from '@mastra/core/stream';
import type { RunResult, StepResult } from './result.js';
import type { RunStream } from './run-stream.js';

/** One attempt at a step: Mastra's step result, and how the attempt ended. */
export type InterlockStep = FullOutput['steps'][number] & Pick<StepResult, 'stepNumber' | 'attempt' | 'reason'>;
/** What `generate` gives: Mastra's full output with the run's status and events. */
export type InterlockResult = Omit<FullOutput, 'steps'> & { steps: InterlockStep[] } & Pick<
    RunResult,
    'status' | 'bypasses' | 'wasted' | 'runEvents' | 'runId' | 'tripwire'
  >;
/** What `generate` gives where an object was asked for; there is none where the run did not succeed. */
export type InterlockObjectResult<OUTPUT> = Omit<InterlockResult, 'object'> & { object: OUTPUT | undefined };
/** What `stream` gives: Mastra's stream with the run's status and events. */
export type InterlockStream = { getFullOutput(): Promise<InterlockResult> } & MastraModelOutput &
  Pick<RunStream, 'runEvents' | 'tripwire'>;

/** What `stream` gives where an object was asked for. */
export type InterlockObjectStream<OUTPUT> = Omit<InterlockStream, 'object' | 'objectStream' | 'getFullOutput'> & {
  object: Promise<OUTPUT | undefined>;
  objectStream: ReadableStream<Partial<OUTPUT>>;
  getFullOutput(): Promise<InterlockObjectResult<OUTPUT>>;
};
