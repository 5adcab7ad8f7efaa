import { RequestContext } from '@mastra/core/request-context';
import type { MessageList } from '@mastra/core/agent/message-list';
import type { Processor } from '@mastra/core/processors';
import type { TraceHeader, TraceEntry } from '../../../schemas/index.js';
import type { Lanes } from '../../loop/run.js';
import { compileChains, hasErrorHook } from '../agent/chains.js';
import { resolveLanes, type AgentGuards } from '../workflow/guards.js';
import type { ReplayStage } from '../../loop/replay-ports.js';
import type { ReadContent } from '../../trace/contents.js';
import { fromPlainJson } from '../../trace/plain-json.js';
import type { createTape } from '../../trace/replay.js';
import { fillList, type ListState } from '../messages/list-insides.js';
import { phases } from '../../phase/table.js';

/** Guards to replay a run with, in the arrays of an agent. */
export type ReplayGuards = AgentGuards;

interface Replaying {
  readonly header: TraceHeader;
  readonly agentId: string;
  readonly memory: RecordedMemory;
}

/** The guards of a replay by array, surrounded by stand-ins for the memory's processors, as in an agent. */
export const replayLanes = async (guards: ReplayGuards, { header, agentId, memory }: Replaying): Promise<Lanes> => {
  const { input, output, error } = await resolveLanes(guards, new RequestContext(), agentId);
  const before = (header.memory?.before ?? []).map((one) => memoryReplacement(one, memory));
  const after = (header.memory?.after ?? []).map((one) => memoryReplacement(one, memory));
  const chains = {
    input: before.length > 0 ? [...before, ...input] : input,
    output,
    error,
    others: [...input, ...output].filter(hasErrorHook),
    memory: after,
    recalling: before,
  };
  return compileChains(agentId, chains, header.recordEdits);
};

type MemoryEntry = Extract<TraceEntry, { kind: 'memory' }>;

/** The recorded data for stand-ins. */
interface RecordedMemory {
  readonly entries: ReturnType<typeof createTape<MemoryEntry>>;
  readonly read: ReadContent;
  readonly stage: ReplayStage;
}

type Described = NonNullable<TraceHeader['memory']>['before'][number];

/** A processor that repeats the effect of a memory processor on the conversation, without storage. */
const memoryReplacement = ({ id, hooks }: Described, recorded: RecordedMemory): Processor => {
  const own = Object.values(phases).filter(({ hook }) => hooks.includes(hook));
  return {
    id,
    ...Object.fromEntries(own.map(({ hook, phase }) => [hook, (args: Args) => replacement({ id, phase }, recorded, args)])),
  };
};

interface Args {
  readonly messageList?: MessageList;
}

const replacement = async (
  { id, phase }: { id: string; phase: string },
  { entries, read, stage }: RecordedMemory,
  { messageList }: Args,
): Promise<unknown> => {
  const entry = entries((one) => one.processorId === id && one.phase === phase);
  if (!entry) return stage.end(`the memory (${id}) was never asked here.`);
  if (entry.error !== undefined) throw fromPlainJson(entry.error);
  if (!entry.list || !messageList) return undefined;
  return fillList(messageList, read(entry.list) as unknown as ListState); // the state of a list
};
