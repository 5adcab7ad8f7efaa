/** Where the caret stands between the characters of a text, and where the text is cut. */
export interface CaretPlace {
  readonly place: number;
  /** The last place between two characters. */
  readonly last: number;
  readonly cuts: readonly number[];
}

/** Where keys lead the caret. */
const moves: Readonly<Partial<Record<string, (from: CaretPlace) => number>>> = {
  ArrowLeft: ({ place }) => place - 1,
  ArrowRight: ({ place }) => place + 1,
  Home: () => 1,
  End: ({ last }) => last,
  ArrowUp: ({ place, cuts }) => cuts.findLast((cut) => cut < place) ?? place,
  ArrowDown: ({ place, cuts }) => cuts.find((cut) => cut > place) ?? place,
};

/** The place that a key leads to; undefined where the key leads nowhere. */
export const moveCaret = (key: string, from: CaretPlace): number | undefined => {
  const to = Object.hasOwn(moves, key) ? moves[key]?.(from) : undefined;
  return to === undefined ? undefined : Math.max(1, Math.min(to, from.last));
};
