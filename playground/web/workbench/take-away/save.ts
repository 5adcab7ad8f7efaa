/** Copies text to the clipboard; returns whether that was possible. */
export const copyText = async (text: string): Promise<boolean> => {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false; // rejected, or an insecure connection
  }
};

/** Makes the browser save a text as a file. */
export const saveFile = (name: string, text: string, type = 'text/plain'): void => {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  // The browser reads it after the click, certainly within a minute.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
};
