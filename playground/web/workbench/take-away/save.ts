/** Puts text on the clipboard; says whether that was possible. */
export const copyText = async (text: string): Promise<boolean> => {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false; // refused, or a page that was not loaded over a safe connection
  }
};

/** Hands a text to the browser as a file to keep. */
export const saveFile = (name: string, text: string, type = 'text/plain'): void => {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  // The browser reads it after the click; a minute later it has.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
};
