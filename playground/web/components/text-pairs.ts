/** The words of a name: `stepNumber` is "Step number". */
export const wordsOf = (name: string): string => {
  const words = name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** The names of fields that have several texts. */
const numbered: Readonly<Partial<Record<string, string>>> = {
  messages: 'Message',
  prompt: 'Prompt message',
  systemMessages: 'Instructions',
  chunks: 'Chunk',
};

/** The words for the place of a text in a payload: `messages.0.content.parts.0.text` is "Message 1". */
export const targetTitle = (target: string): string => {
  const [field = '', index = '0'] = target.split('.');
  const name = Object.hasOwn(numbered, field) ? numbered[field] : undefined;
  return name === undefined ? wordsOf(field) : `${name} ${Number(index) + 1}`;
};

/** A text of a payload before and after guards, by its place. */
export interface TextPair {
  readonly target: string;
  readonly before: string;
  readonly after: string;
}

type PlacedTexts = readonly { readonly target: string; readonly text: string }[];

/** The texts of two payloads, by their places; once each: a message may contain one text twice, and a chunk also names the kind of what was found. */
export const pairsOf = (received: PlacedTexts, returned: PlacedTexts): TextPair[] => {
  const pairs = new Map<string, TextPair>();
  for (const { target } of [...received, ...returned].toReversed()) {
    const textIn = (texts: PlacedTexts): string => texts.findLast((one) => one.target === target)?.text ?? '';
    const [before, after] = [textIn(received), textIn(returned)];
    const key = JSON.stringify([targetTitle(target), before, after]);
    if (!/^chunks\..*\.match\./.test(target)) pairs.set(key, { target, before, after });
  }
  return [...pairs.values()].toReversed();
};
