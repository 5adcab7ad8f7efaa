import type { MessageList } from '@mastra/core/agent/message-list';
import type { Processor } from '@mastra/core/processors';
import type { TraceEntry, TraceHeader } from '../../../schemas/index.js';
import type { ReplayStage } from '../../loop/replay-stage.js';
import type { ReadContent } from '../../trace/contents.js';
import { fromPlainJson } from '../../trace/plain-json.js';
import type { Tape } from '../../trace/replay/tape.js';
import { fillList, type ListState } from '../messages/list-insides.js';
import { phases } from '../../phase/table.js';

type MemoryEntry = Extract<TraceEntry, { kind: 'memory' }>;

/** What stand-ins answer from. */
export interface RecordedMemory {
  readonly entries: Tape<MemoryEntry>;
  readonly read: ReadContent;
  readonly stage: ReplayStage;
}

type Described = NonNullable<TraceHeader['memory']>['before'][number];

/** A processor that does to the conversation what one of the memory did, and reaches no storage. */
export const memoryStandIn = ({ id, hooks }: Described, recorded: RecordedMemory): Processor => {
  const own = Object.values(phases).filter(({ hook }) => hooks.includes(hook));
  return {
    id,
    ...Object.fromEntries(own.map(({ hook, phase }) => [hook, (args: Args) => standIn({ id, phase }, recorded, args)])),
  };
};

interface Args {
  readonly messageList?: MessageList;
}

const standIn = async (
  { id, phase }: { id: string; phase: string },
  { entries, read, stage }: RecordedMemory,
  { messageList }: Args,
): Promise<unknown> => {
  const entry = entries.take((one) => one.processorId === id && one.phase === phase);
  if (!entry) return stage.end(`the memory (${id}) was never asked here.`);
  if (entry.error !== undefined) throw fromPlainJson(entry.error);
  if (!entry.list || !messageList) return undefined;
  return fillList(messageList, read(entry.list) as unknown as ListState); // as a list gave it
};
