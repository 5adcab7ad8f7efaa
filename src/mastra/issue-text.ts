interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** An issue of a standard schema as a sentence, after its path if it has one. */
export const issueText = ({ path = [], message }: Issue): string =>
  [path.map((segment) => String(typeof segment === 'object' ? segment.key : segment)).join('.'), message]
    .filter(Boolean)
    .join(': ');
