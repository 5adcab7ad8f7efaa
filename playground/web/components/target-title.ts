const numbered = (name: string, index: string | undefined): string => `${name} ${Number(index ?? 0) + 1}`;

/** The words for the place of a text in a payload: `messages.0.content.parts.0.text` is "Message 1". */
export const targetTitle = (target: string): string => {
  const [field = '', index] = target.split('.');
  if (field === 'messages') return numbered('Message', index);
  if (field === 'prompt') return numbered('Prompt message', index);
  if (field === 'systemMessages') return numbered('Instructions', index);
  if (field === 'chunks') return numbered('Chunk', index);
  const words = field.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
};

interface Titled {
  readonly target: string;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

/** Texts without repetitions: a message may contain one text twice, and a chunk also names the kind of what was found. */
export const withoutCopies = <T extends Titled>(texts: readonly T[]): T[] => {
  const shown = texts.filter(({ target }) => !/^chunks\..*\.match\./.test(target));
  const keyOf = ({ target, before, after }: T): string => JSON.stringify([targetTitle(target), before, after]);
  return [...new Map(shown.toReversed().map((text) => [keyOf(text), text])).values()].toReversed();
};
