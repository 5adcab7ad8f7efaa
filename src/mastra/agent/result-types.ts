import type { FullOutput, MastraModelOutput } from '@mastra/core/stream';
import type { RunResult, StepResult } from './result.js';
import type { RunStream } from './run-stream.js';

/** One attempt at a step: Mastra's step result with the outcome of the attempt. */
export type InterlockStep = FullOutput['steps'][number] & Pick<StepResult, 'stepNumber' | 'attempt' | 'reason'>;
/** The result of `generate`: Mastra's full output with the run's status and events. */
export type InterlockResult = Omit<FullOutput, 'steps'> & { steps: InterlockStep[] } & Pick<
    RunResult,
    'status' | 'bypasses' | 'wasted' | 'runEvents' | 'runId' | 'tripwire'
  >;
/** The result of `generate` with structured output; the object is undefined if the run did not succeed. */
export type InterlockObjectResult<OUTPUT> = Omit<InterlockResult, 'object'> & { object: OUTPUT | undefined };
/** The result of `stream`: Mastra's stream with the run's status and events. */
export type InterlockStream = { getFullOutput(): Promise<InterlockResult> } & MastraModelOutput &
  Pick<RunStream, 'runEvents' | 'tripwire'>;

/** The result of `stream` with structured output. */
export type InterlockObjectStream<OUTPUT> = Omit<InterlockStream, 'object' | 'objectStream' | 'getFullOutput'> & {
  object: Promise<OUTPUT | undefined>;
  objectStream: ReadableStream<Partial<OUTPUT>>;
  getFullOutput(): Promise<InterlockObjectResult<OUTPUT>>;
};
