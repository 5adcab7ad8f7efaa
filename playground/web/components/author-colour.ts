const colours = 6;

/** The colour of the nth author, from 0; authors beyond the sixth share colours, and are told apart by name. */
export const authorColour = (index: number): string => `var(--author-${(index % colours) + 1})`;
