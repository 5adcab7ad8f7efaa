/** Decodes bytes as UTF-8; invalid ones become replacement characters. */
export const textOfBytes = (bytes: Iterable<number>): string =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(Uint8Array.from(bytes));

/** Decodes base64 of either alphabet, with or without its padding. A last character without a full byte is dropped. */
export const textOfBase64 = (encoded: string): string => {
  const [letters = ''] = encoded.split('=', 1);
  const plain = letters.replaceAll('-', '+').replaceAll('_', '/');
  const whole = plain.length % 4 === 1 ? plain.slice(0, -1) : plain;
  return textOfBytes(Array.from(atob(whole), (char) => char.charCodeAt(0)));
};

/** Decodes pairs of hexadecimal digits. */
export const textOfHex = (encoded: string): string =>
  textOfBytes(Array.from(encoded.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16)));
