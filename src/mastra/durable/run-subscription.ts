import type { Board, ProgramRuns } from '../../durable/journal.js';
import { InterlockError } from '../../errors.js';
import type { Chunk } from '../../loop/ports.js';
import { readEnd, type PersistedCall, type SegmentEnd } from './persisted-segment.js';
import type { LocalRuns } from './local-runs.js';
import type { DurableAgent } from './set-up.js';
import { createEntryParser, createStepRestorer, type RunEntry } from './run-entry.js';

/** What an agent's runs on an engine are looked after with. */
export interface DurableContext {
  readonly parts: DurableAgent;
  readonly localRuns: LocalRuns;
  readonly runs: ProgramRuns;
  readonly board: Board;
}

/** A segment of a run; its id is the engine's. */
export interface SegmentRef {
  readonly runId: string;
  readonly number: number;
  readonly id: string;
}

/** How long it is waited between two looks at a run that goes on elsewhere. */
export const lookAgainMs = 50;

export const pause = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, lookAgainMs));

/** Follows a run from its beginning to the end of one of its segments. */
export interface RunSubscription {
  /** The number of that run segment. */
  readonly number: number;
  /** What was heard and not yet taken. */
  readonly entries: RunEntry[];
  /** Gives a chunk the steps back that were heard before it. */
  readonly withSteps: (chunk: Chunk) => Chunk;
  /** The processes that have run it, in order. */
  readonly lives: readonly string[];
  /** The call of the run segment, once it is published. */
  readonly call: PersistedCall | undefined;
  /** Looks and listens; gives what the run segment ended with, once it has. */
  poll(): Promise<SegmentEnd | undefined>;
  /** Reads new entries; resolves to whether the run segment has started in any process, or has ended. */
  hasStarted(): Promise<boolean>;
}

export const subscribe = (context: DurableContext, { runId, number, id }: SegmentRef): RunSubscription => {
  const parser = createEntryParser();
  const entries: RunEntry[] = [];
  let end: SegmentEnd | undefined;
  const poll = async (): Promise<SegmentEnd | undefined> => {
    end ??= await findEnd(context, id); // first, so that all entries before the end are read
    entries.push(...parser.take(await context.board.read(runId, parser.place)));
    return end;
  };
  return {
    number,
    entries,
    withSteps: createStepRestorer(),
    lives: parser.lives,
    get call() {
      return end ? end.call : parser.opened?.call;
    },
    poll,
    hasStarted: async () => (await poll()) !== undefined || parser.opened?.sitting === number,
  };
};

/** What a run segment ended with; nothing while it goes on. */
export const findEnd = async ({ runs }: Pick<DurableContext, 'runs'>, id: string): Promise<SegmentEnd | undefined> => {
  const found = await runs.find(id);
  switch (found.kind) {
    case 'running':
      return undefined;
    case 'ended':
      return readEnd(found.output);
    case 'absent':
      throw new InterlockError('durable/no-run', { path: id });
    case 'lost':
      throw new InterlockError('durable/lost-run', { path: id, detail: found.reason });
    default:
      return found satisfies never;
  }
};
