import { toWorkflow } from '../../../src/mastra/workflow/to-workflow.js';
import type { SequenceNode } from '../../../src/pipeline/graph.js';
import { checkFragments } from '../../../src/testing/index.js';
import type { FindLeak, LeakSearch } from '../../protocol/workbench.js';
import { runLabStream } from './lab-stream.js';

const shapes = { text: 'text', reasoning: 'reasoning', 'tool-input': 'arguments' } as const;

/** Searches the cuttings of a text for one that lets a piece of the fragment out: in runs of an agent, as the test kit does. */
export const findLeak = async (
  graph: SequenceNode,
  { text, kind, fragment, allowed = 3, tries = 500 }: FindLeak,
): Promise<LeakSearch> => {
  const { runs, failures } = await checkFragments(
    toWorkflow(graph),
    { text, value: fragment, allowedChars: allowed },
    { shapes: [shapes[kind]], randomCuts: tries },
  );
  const [leak] = failures;
  if (!leak) return { tried: runs };
  const chunks = [...leak.pieces];
  const { output } = await runLabStream(graph, kind, chunks);
  return { tried: runs, leak: { chunks, seen: longestShared(output, fragment), output } };
};

/** The longest piece of a fragment that stands in a text. */
const longestShared = (text: string, fragment: string): string => {
  for (let length = fragment.length; length > 0; length -= 1)
    for (let at = 0; at + length <= fragment.length; at += 1) {
      const piece = fragment.slice(at, at + length);
      if (text.includes(piece)) return piece;
    }
  return '';
};
