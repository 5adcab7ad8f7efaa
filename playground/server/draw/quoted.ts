/** A text as a label of Mermaid, whatever stands in it. */
export const quoted = (text: string): string =>
  `"${text.replaceAll(/[^\p{L}\p{N} _.,:/-]/gu, (sign) => `#${sign.codePointAt(0)};`)}"`;
