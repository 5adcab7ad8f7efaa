/** A file name that is valid on any system. */
export const fileName = (name: string, extension: string): string =>
  `${name.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-').replaceAll(/^[.-]+|-+$/g, '') || 'studio'}.${extension}`;
