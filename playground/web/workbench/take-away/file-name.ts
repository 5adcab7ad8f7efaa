/** A name that any system takes as a file's. */
export const fileName = (name: string, extension: string): string =>
  `${name.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-').replaceAll(/^[.-]+|-+$/g, '') || 'studio'}.${extension}`;
