/** Fills a place of a page; what stands around the places is written by hand. */
export const filled = (text: string, id: string, content: string): string => {
  const [open, close] = [`<!-- bench:${id} -->`, `<!-- /bench:${id} -->`];
  const [from, to] = [text.indexOf(open), text.indexOf(close)];
  if (from < 0 || to < from) throw new Error(`The page has no place for "${id}".`);
  return `${text.slice(0, from)}${open}\n\n${content}\n\n${text.slice(to)}`;
};
