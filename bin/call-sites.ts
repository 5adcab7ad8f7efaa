import { faultOfCallOption } from '../src/mastra/options/option-table.js';
import { lineAt, literalAt, maskedOf, topLevelOf } from './source-text.js';

/** An option at a call of an agent that has no effect, or that is rejected. */
interface CallFault {
  readonly severity: 'error' | 'warning';
  readonly code: string;
  /** The line of the call. */
  readonly line: number;
  readonly message: string;
}

/** The names that a file gives to agents: variables of new and of found ones, and names with `agent` in them. */
const agentNames = (masked: string): ReadonlySet<string> =>
  new Set(
    Array.from(
      masked.matchAll(/\b([\w$]+)\s*=\s*(?:await\s+)?(?:new\s+\w*Agent\b|[\w$.?]*\.getAgent(?:ById)?\()/g),
      ([, name]) => name ?? '',
    ),
  );

/**
 * Options without effect at calls of agents in a file. Only options that are written at the call are read, not those in variables. An
 * object counts as an agent if its name contains `agent`, or if the file creates or finds it as one.
 */
export const callFaultsIn = (source: string): CallFault[] => {
  const masked = maskedOf(source);
  const agents = agentNames(masked);
  return Array.from(
    masked.matchAll(
      /\b([\w$]{1,80})(?:\([^()]{0,200}\))?\s{0,80}[?!]?\.\s{0,80}(?:generate|stream)\s{0,8}(?:<[^>(]{0,200}>\s{0,8})?\(/g,
    ),
  ).flatMap(({ index, 0: call, 1: receiver = '' }) => {
    if (!/agent/i.test(receiver) && !agents.has(receiver)) return [];
    const line = lineAt(source, index);
    return optionsAt(masked, index + call.length - 1).flatMap(({ name, value }) => {
      const fault = ['null', 'undefined'].includes(value) ? undefined : faultOfCallOption(name, simpleValue(value));
      if (!fault) return [];
      const { code, ignoredName, detail = 'it is not supported.' } = fault;
      return [
        { severity: ignoredName === undefined ? 'error' : 'warning', code, line, message: `"${name}": ${detail}` } as const,
      ];
    });
  });
};

/** A number or a truth value. Undefined for other texts. */
const simpleValue = (text: string): unknown => (/^(?:true|false|\d+(?:\.\d+)?)$/.test(text) ? JSON.parse(text) : undefined);

/** The names in the literal that is the last of two arguments, each with the text of a simple value. */
const optionsAt = (masked: string, open: number): { name: string; value: string }[] => {
  const [, second] = argumentsAt(masked, open);
  if (second === undefined || masked[second] !== '{') return [];
  return topLevelOf(masked, second)
    .split(',')
    .flatMap((entry) => {
      const [, name, value = ''] = /^\s*([\w$]+)\s*(?::\s*([\w$.]*)|$)/.exec(entry) ?? [];
      return name === undefined ? [] : [{ name, value }];
    });
};

/** The starts of the arguments of a call. */
const argumentsAt = (masked: string, open: number): number[] => {
  const starts = [literalAt(masked, open + 1)];
  let depth = 0;
  for (let at = open; at < masked.length; at += 1) {
    const letter = masked[at] ?? '';
    if ('{[('.includes(letter)) depth += 1;
    else if ('}])'.includes(letter)) depth -= 1;
    else if (letter === ',' && depth === 1) starts.push(literalAt(masked, at + 1));
    if (depth === 0) return starts;
  }
  return starts;
};
