import { decodeCodes } from '../patterns/reading.js';

/** Passages of a line that a prompt lets the model say: a quotation, a question or its answer, and what follows `Answer with:`. */
const inLine = new RegExp(
  [
    String.raw`^[^\S\n]*>.*$`,
    String.raw`["“”„«「『](?=\S)[^"“”„«»「」『』]{8,}["“”»」』]`,
    String.raw`^[^\S\n]*(?:[-*][^\S\n]+)?\**(?:Q|A|Question|Answer|Frage|Antwort|Pregunta|Respuesta|Réponse)(?:[^\S\n]?\d{1,3})?\**[:.)].*$`,
    String.raw`\b(?:say|answer|reply|respond|greet|begin|start|open|end|close|finish|sign off|append|add|include|contain)\b[^.:]{0,80}:\s{0,8}\S.*$`,
  ].join('|'),
  'gi',
);
/** The first line of a block that it lets the model say: a fence, or the tag of a section with facts. */
const blockStart = /^\s{0,8}(?:(`{3,}|~{3,})|<(faq|facts|documents?|context|knowledge|examples?|templates?)>)/i;

/** The passages of a prompt that no answer may quote: all but those that the model may say. An unfinished block is none. */
export const secretPassages = (prompt: string, except: readonly string[]): string[] => {
  const passages: string[] = [''];
  let block: { readonly end: string; text: string } | undefined;
  for (const line of except.reduce((left, passage) => left.replaceAll(passage, '\n'), prompt).split('\n')) {
    const start: RegExpExecArray | null = block ? null : blockStart.exec(line);
    if (start) block = { end: start[1] ?? `</${start[2] ?? ''}>`.toLowerCase(), text: '' };
    if (block) block.text += `${line}\n`;
    if (block && !start && line.trim().toLowerCase().endsWith(block.end)) {
      block = undefined;
      passages.push('');
    } else if (!block) {
      const [first = '', ...others] = line.split(inLine);
      passages.push(`${passages.pop() ?? ''}${first}\n`, ...others);
    }
  }
  return block ? [...passages, block.text] : passages;
};

/** A text without what may stand between its words in a page: tags, comments, entities. */
export const withoutMarkup = (text: string): string =>
  decodeCodes(text).replaceAll(/<(?:\/?[a-z]|!--)[^<>\n]{0,100}>|&[a-z]{2,8};/gi, ' ');
