import { useEffect, useRef } from 'react';
import type { StudioEntry } from '../../protocol/trace-entry.js';
import { useQuery } from '../shell/use-query.js';

const isOf = (entry: StudioEntry | undefined, toolCallId: string): boolean =>
  entry?.kind === 'event' &&
  (entry.event.type === 'tool-finish' || entry.event.type === 'tool-start') &&
  entry.event.toolCallId === toolCallId;

/** Goes once to the call of a tool that the address names, as soon as its line is there. */
export const useCallInAddress = (entries: readonly StudioEntry[], lines: number, moveTo: (seq: number) => void): void => {
  const [query, setQuery] = useQuery();
  const call = query.get('call');
  const found = useRef<string>(undefined);
  useEffect(() => {
    if (call === null || found.current === call) return;
    const at = entries.slice(0, lines).findLastIndex((entry) => isOf(entry, call));
    const entry = entries[at];
    if (!entry) return;
    found.current = call;
    setQuery({ call: undefined });
    moveTo(entry.seq);
  }, [call, entries, lines, moveTo, setQuery]);
};
