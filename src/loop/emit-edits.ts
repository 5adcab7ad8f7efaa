import { editedAgain, lateEdits, withEdits, type Judged, type LateEdits } from './late-edits.js';
import { freeId } from './part-ids.js';
import type { Chunk } from './ports.js';
import { agentChunk, publish } from './emit.js';
import { retract } from './retract.js';
import type { Run } from './run.js';

/** A step whose answer was judged as a whole. */
export interface JudgedStep extends Judged {
  /** Where its chunks begin, and where those of the next step do. */
  readonly place: number;
  readonly end?: number;
  /** Ids of what a reader was shown of it: follows the edits. */
  readonly partIds: Set<string>;
  /** Other changes of its chunks while they are held. */
  readonly rewrite?: (chunk: Chunk) => Chunk;
}

/**
 * Makes the stream say what guards accepted of a step. Chunks that are held back are edited in place; what has left is retracted, and the
 * edited parts leave again under new ids.
 */
export const emitEdits = async (
  run: Run,
  { place, end, partIds, rewrite = (chunk) => chunk, ...judged }: JudgedStep,
): Promise<void> => {
  const { streamBuffer } = run.options;
  const edits = lateEdits(judged);
  if (!edits) return;
  const newId = () => {
    const id = freeId(run.usedPartIds, 'edited');
    partIds.add(id);
    return id;
  };
  if (streamBuffer.revise(place, end, (chunks) => withEdits(chunks, edits, newId).map(rewrite))) return;
  const gone = goneOf(edits, partIds);
  for (const id of gone) partIds.delete(id);
  const words = end === undefined ? 'words' : 'earlier-words';
  await retract(run, { partIds: gone, place, scope: edits.texts.size > 0 ? words : 'parts' });
  for (const chunk of editedAgain(edits, newId, agentChunk(run, '', undefined))) {
    const { toolCallId } = chunk.payload as { toolCallId?: string };
    if (toolCallId !== undefined) partIds.add(toolCallId);
    await publish(run, chunk);
  }
};

const goneOf = ({ texts, others }: LateEdits, partIds: ReadonlySet<string>): string[] =>
  [...texts.keys(), ...others.keys()].filter((id): id is string => typeof id === 'string' && partIds.has(id));
