import { diffChars } from 'diff';

interface Step {
  readonly pushed?: string;
  readonly left: string;
}

/** An edit of long texts is looked for so long. */
const longestLookMs = 500;

/**
 * The words that are held after each step. The gate hands on what guards made of the words, so that what left is aligned with what came:
 * a word is held as long as nothing that stands for it, or after it, has left. Once all is through, nothing is held.
 */
export const heldAfter = (steps: readonly Step[], isThrough: boolean): string[] => {
  const came = steps.map(({ pushed = '' }) => pushed).join('');
  const reached = alignment(came, steps.map(({ left }) => left).join(''));
  let [pushed, left] = [0, 0];
  return steps.map((step, index) => {
    pushed += step.pushed?.length ?? 0;
    left += step.left.length;
    return isThrough && index === steps.length - 1 ? '' : came.slice(reached(left), pushed);
  });
};

/** How much of what came stands behind so much of what left. */
const alignment = (came: string, output: string): ((left: number) => number) => {
  const changes = diffChars(came, output, { timeout: longestLookMs });
  if (!changes) return (left) => Math.min(left, came.length);
  const stretches: { readonly from: number; readonly to: number; readonly at: number; readonly isSame: boolean }[] = [];
  let [before, after] = [0, 0];
  for (const { added, removed, value } of lateMatches(changes)) {
    if (removed) before += value.length;
    else {
      stretches.push({ from: after, to: after + value.length, at: before, isSame: !added });
      after += value.length;
      if (!added) before += value.length;
    }
  }
  return (left) => {
    const last = stretches.findLast(({ from }) => from < left);
    if (!last) return 0;
    return last.isSame ? last.at + Math.min(left, last.to) - last.from : last.at;
  };
};

type Change = Pick<ReturnType<typeof diffChars>[number], 'added' | 'removed' | 'value'>;

/** The same edit with its matches as late as they may stand: the full stop after a value, not the one inside it. */
const lateMatches = (changes: readonly Change[]): Change[] => {
  const moved = [...changes];
  for (let index = 1; index + 1 < moved.length; index += 1) {
    const [before, match, gone] = moved.slice(index - 1, index + 2) as [Change, Change, Change]; // there are three
    const isBetween = (before.added || before.removed) && !match.added && !match.removed && gone.removed;
    const both = match.value + gone.value;
    if (!isBetween || !both.endsWith(match.value)) continue;
    moved[index] = { ...gone, value: both.slice(0, -match.value.length) };
    moved[index + 1] = match;
  }
  return moved;
};
