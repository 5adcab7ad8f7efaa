import type { ArgumentRule } from './argument-rule.js';
import { lazyRegex } from '../../src/phase/lazy-regex.js';

export interface PathRuleOptions {
  /** Allowed folders: `/srv/data`, or `.` for paths relative to the tool's working directory. Default `.`. */
  readonly roots?: readonly string[];
  /** Allowed file endings, such as `.md`. Default: any. */
  readonly endings?: readonly string[];
  /** Whether names that start with a dot, such as `.env` and `.ssh`, are allowed. Default false. */
  readonly hidden?: boolean;
  /** The maximum number of characters. Default 1,024. */
  readonly maxChars?: number;
}

/** The device names of Windows, with any ending. */
const device = /^(?:con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$|clock\$) *(?:\.|$)/i;

/** A short name of Windows, which may hide a longer one: `ENV~1` is `.env`. */
const shortName = /^[^.]{0,7}~\d/;

/**
 * A rule for an argument that a tool opens as a file. Only plain paths pass: no step upwards, no codes, no backslash, no drive,
 * stream or device, no home folder, no dash at the start, no letter that another program could read as a separator. It does not
 * read the disk: a symbolic link under a root may lead elsewhere, so let the tool resolve the path (`fs.realpath`) and compare
 * it again.
 */
export const pathRule = ({ roots = ['.'], endings, hidden = false, maxChars = 1024 }: PathRuleOptions = {}): ArgumentRule => {
  const folders = roots.map((root) => root.replace(/\/$/, ''));
  const mayBeRelative = folders.includes('.');
  return (value) => {
    if (typeof value !== 'string' || value === '') return 'must be a path as text';
    if (value.length > maxChars) return `must have at most ${maxChars} characters`;
    if (!isPlain(value)) return 'must be a path in its plain form';
    const segments = value.split('/').filter((segment) => segment !== '' && segment !== '.');
    if (segments.some((segment) => /^\.+$/.test(segment) || /[. ]$/.test(segment) || segment.startsWith(' ')))
      return 'must not have steps upwards, nor names that end in a dot or space';
    if (segments.some((segment) => device.test(segment))) return 'must not be a device';
    if (!hidden && segments.some((segment) => segment.startsWith('.') || shortName.test(segment)))
      return 'must not have hidden names';
    const path = `${value.startsWith('/') ? '/' : ''}${segments.join('/')}`;
    const isInside = value.startsWith('/')
      ? folders.some((root) => isUnder(path, root))
      : mayBeRelative || folders.some((root) => isUnder(path, root));
    if (!isInside) return 'must be a path under an allowed folder';
    return endings && !endings.some((ending) => value.endsWith(ending)) ? `must end in ${endings.join(' or ')}` : undefined;
  };
};

/** Absolute roots contain only absolute paths; a root of `/` contains all of them. */
const isUnder = (path: string, root: string): boolean =>
  (root !== '.' && path === root) || path.startsWith(`${root.replace(/^\.\//, '')}/`);

const unprintable = lazyRegex(String.raw`[\p{C}\p{Zl}\p{Zp}\\%:*?"<>|]|\p{Default_Ignorable_Code_Point}`);
const isPlain = (value: string): boolean =>
  !unprintable().test(value) &&
  value.normalize('NFKC') === value &&
  !/^[~-]|[\u2044\u2215\u29F5\u29F8\uFF0F\u2024\u2025\u2026]/u.test(value) &&
  !value.startsWith('//');
