import {
  argumentsOf,
  borderOf,
  bringsArguments,
  deltaKey,
  deltaText,
  hasMore,
  textPartOf,
  argumentsText,
  withoutText,
  type Chunk,
} from './chunk.js';
import type { PlacedChunk } from './chunk-stage.js';
import type { OpenTextPart, Queue } from './queue.js';
import { uneditedSegment } from './segment.js';
import type { Gate, TextStage } from './text-stage.js';

/** Receives chunks: sends texts through the guards, and queues everything. */
interface Admission {
  admit(chunk: Chunk, place: number): void;
  /** Ends every text and the step. Further calls do nothing. */
  end(): void;
}

/** Streamed arguments of incomplete tool calls, by call. */
type StreamedCalls = Map<string, Chunk[]>;

interface AdmissionOptions {
  readonly gate: Pick<Gate, 'place'>;
  /** Whether a text is judged at the end of its step: all parts with its id are then one text, as in the response. */
  readonly joinsParts: boolean;
}

export const createAdmission = (queue: Queue, way: TextStage, { gate, joinsParts }: AdmissionOptions): Admission => {
  const calls: StreamedCalls = new Map();
  const endText = (lane: OpenTextPart): void => {
    queue.close(lane);
    way.end(lane);
  };
  /** A text whose part has ended, while only reasoning has followed: some clients end a part when the model thinks, and continue it. */
  let pausedText: OpenTextPart | undefined;
  let isInterrupted = false;
  /** Continues the resting text if its part starts again after reasoning; anything else ends it. */
  const arrive = (key: string | undefined): void => {
    if (!pausedText) return;
    if (key?.startsWith('reasoning ')) isInterrupted = true;
    else {
      if (key !== pausedText.key || !isInterrupted) endText(pausedText);
      pausedText = undefined;
    }
  };
  const endPart = (lane: OpenTextPart): void => {
    if (joinsParts) return;
    if (!lane.key.startsWith('text ')) return endText(lane);
    [pausedText, isInterrupted] = [lane, false];
  };
  let isOver = false;
  const end = (): void => {
    if (isOver) return;
    isOver = true;
    pausedText = undefined;
    for (const lane of queue.lanes()) endText(lane);
    way.endStep();
    for (const deltas of calls.values())
      queue.addWhole({ chunk: undefined, deltas, length: lengthOf(deltas), place: gate.place }); // the call never came
  };
  return {
    end,
    admit: (chunk, place) => {
      const key = deltaKey(chunk);
      const border = key === undefined ? borderOf(chunk) : undefined;
      arrive(key ?? border?.key);
      if (key !== undefined) return admitText(key, { chunk, place }, { queue, way });
      if (border) {
        const lane = queue.lane(border.key, () => textPartOf(chunk));
        if (border.isEnd) endPart(lane);
        return queue.addWhole({ chunk, lane, place });
      }
      if (bringsArguments(chunk)) return undefined;
      const callId = argumentsOf(chunk);
      if (callId !== undefined) return admitDeltas(callId, chunk, { queue, calls });
      if (chunk.type === 'tool-call') return admitCall({ chunk, place }, { queue, calls });
      if (chunk.type === 'finish') end();
      return queue.addWhole({ chunk, place });
    },
  };
};

const admitText = (key: string, { chunk, place }: PlacedChunk, { queue, way }: { queue: Queue; way: TextStage }): void => {
  const lane = queue.lane(key, () => textPartOf(chunk));
  const text = deltaText(chunk);
  if (text !== '') {
    queue.addText(lane, text.length);
    way.add(lane, uneditedSegment(text, place - text.length + 1));
  }
  // Other fields of a delta, such as a signature, follow its text; an empty delta without other fields is no window.
  if (hasMore(chunk)) queue.addWhole({ chunk: withoutText(chunk), lane, place });
};

const admitDeltas = (id: string, chunk: Chunk, { queue, calls }: { queue: Queue; calls: StreamedCalls }): void => {
  const deltas = calls.get(id);
  if (deltas) deltas.push(chunk);
  else calls.set(id, [chunk]);
  queue.hold(argumentsText(chunk).length);
};

const admitCall = ({ chunk, place }: PlacedChunk, { queue, calls }: { queue: Queue; calls: StreamedCalls }): void => {
  const id = String((chunk.payload as { toolCallId?: unknown }).toolCallId);
  const deltas = calls.get(id);
  calls.delete(id);
  queue.addWhole({ chunk, deltas, length: lengthOf(deltas ?? []), place });
};

const lengthOf = (deltas: readonly Chunk[]): number => deltas.reduce((sum, chunk) => sum + argumentsText(chunk).length, 0);
