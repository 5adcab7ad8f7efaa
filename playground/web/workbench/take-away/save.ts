/** Makes the browser save a text as a file. */
export const saveFile = (name: string, text: string, type = 'text/plain'): void => {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  // The browser reads it after the click, certainly within a minute.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
};

/** A file name that is valid on any system. */
export const fileName = (name: string, extension: string): string =>
  `${name.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-').replaceAll(/^[.-]+|-+$/g, '') || 'studio'}.${extension}`;
