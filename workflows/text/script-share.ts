/** The share of a text's letters that are of none of these scripts, 0 to 1; 0 for a text without letters. Letters of no one script count for none. */
export const foreignShare = (text: string, scripts: readonly string[]): number => {
  const own = new RegExp(`[${scripts.map((script) => `\\p{scx=${script}}`).join('')}]`, 'u');
  const letters = text.match(/\p{L}/gu) ?? [];
  const foreign = letters.filter((letter) => !own.test(letter) && !/\p{sc=Zyyy}/u.test(letter));
  return letters.length === 0 ? 0 : foreign.length / letters.length;
};

/** Whether the engine knows the script, by its Unicode name or code such as `Latin` or `Latn`. */
export const isScript = (name: string): boolean => {
  try {
    return new RegExp(`\\p{scx=${name}}`, 'u').source !== '';
  } catch {
    return false;
  }
};
