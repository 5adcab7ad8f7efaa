import type { TextSpan } from '../../src/guard/pattern.js';

/** The code of a Markdown text before the start of a line. */
interface CodeState {
  /** The signs that opened the current fence; empty outside of one. */
  readonly fence: string;
  /** Whether a backtick of the paragraph has no partner in its line: then no code in its later lines is certain. */
  readonly isUncertain: boolean;
}

const noCode: CodeState = { fence: '', isUncertain: false };

/** Code is not recognized behind this many characters of a line. */
const maxLineChars = 4_000;
/** Inline code ends at most this far after an address in it. */
export const maxCodeAhead = 256;
/** Signs of a longer fence do not count. */
const maxFenceChars = 100;
/** Makes a line uncertain. */
const uncertain = '\\`';

/** Tells which sections of a text are Markdown code. A text is read once if the sections come in order. */
export const createMarkdownCode = () => {
  let [known, line, end, state] = ['', 0, -1, noCode];
  const seek = (text: string, at: number): void => {
    if (known !== text || at < line) [known, line, end, state] = [text, 0, endOfLine(text, 0), noCode];
    while (end < at && end < text.length) {
      state = stateAfter(state, text.slice(line, Math.min(end, line + maxLineChars + 1)));
      line = end + 1;
      end = endOfLine(text, line);
    }
  };
  /** Whether a section is in a fence or in inline code; undefined if that depends on further text. */
  return (text: string, span: TextSpan): boolean | undefined => {
    seek(text, span.start);
    if (state.fence !== '') return span.end <= end;
    if (state.isUncertain || span.end > end || span.start - line > maxLineChars) return false;
    const until = Math.min(end, span.end + maxCodeAhead);
    const { codes, open } = inlineCode(text.slice(line, until));
    if (codes.some((code) => code.start <= span.start - line && code.end >= span.end - line)) return true;
    return open !== undefined && open <= span.start - line && until === text.length ? undefined : false;
  };
};

/**
 * A short text after which code continues as after the given one: the signs of an open fence, and the last line. It takes the place of
 * text that was emitted.
 */
export const codeStateOf = (text: string): string => {
  let [state, line] = [noCode, 0];
  for (let end = endOfLine(text, 0); end < text.length; end = endOfLine(text, line)) {
    state = stateAfter(state, text.slice(line, Math.min(end, line + maxLineChars + 1)));
    line = end + 1;
  }
  const before = state.fence === '' ? (state.isUncertain ? `${uncertain}\n` : '') : `${state.fence}\n`;
  return before + (text.length - line > maxLineChars ? uncertain : text.slice(line));
};

const endOfLine = (text: string, from: number): number => {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
};

const stateAfter = (state: CodeState, line: string): CodeState => {
  const isLong = line.length > maxLineChars;
  const signs = isLong ? undefined : /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]?.slice(0, maxFenceChars);
  if (state.fence !== '') {
    const isEnd = signs !== undefined && signs.startsWith(state.fence) && /^[ `~]*(?:[\t\r][ \t\r]*)?$/.test(line);
    return isEnd ? noCode : state;
  }
  if (signs !== undefined && (signs.startsWith('~') || !/^ *`+(?!`)[^`]*`/.test(line)))
    return { fence: signs, isUncertain: false };
  if (line.trim() === '') return noCode;
  return state.isUncertain || isLong || inlineCode(line).open !== undefined ? { fence: '', isUncertain: true } : noCode;
};

/** The inline code of a line. A backtick with a backslash, or in a tag, counts as one without a partner. */
const inlineCode = (line: string) => {
  const runs = [...line.matchAll(/`+/g)];
  const codes: TextSpan[] = [];
  for (let index = 0; index < runs.length; index += 1) {
    const { index: start, 0: run } = runs[index] as RegExpExecArray; // within the loop's bounds
    const last = runs.findIndex((one, at) => at > index && one[0].length === run.length);
    const before = line.slice(codes.at(-1)?.end ?? 0, start);
    if (last < 0 || before.endsWith('\\') || before.lastIndexOf('<') > before.lastIndexOf('>')) return { codes, open: start };
    codes.push({ start, end: (runs[last] as RegExpExecArray).index + run.length }); // as found
    index = last;
  }
  return { codes, open: undefined };
};
