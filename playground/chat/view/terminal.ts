import picocolors from 'picocolors';

/** Where a view writes to, and what that can show. */
export interface Terminal {
  write(text: string): void;
  /** Columns of a line, read when it is needed: a window may be resized. */
  readonly columns: number;
  /** Whether the cursor can be moved, so that text can be wrapped at words. */
  readonly isScreen: boolean;
  readonly paint: Paint;
}

export type Paint = Pick<ReturnType<typeof picocolors.createColors>, 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'>;

/** A stream that may be a terminal; Node leaves these fields away from those that are not. */
type Stream = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };

const defaultColumns = 80;
const fewestColumns = 40;

/** Colour and cursor movement where the stream is a terminal that has them; `NO_COLOR` and `FORCE_COLOR` are honoured. */
export const openTerminal = (stream: Stream, env: NodeJS.ProcessEnv): Terminal => {
  const isScreen = (stream.isTTY ?? false) && env['TERM'] !== 'dumb';
  const hasColor = !env['NO_COLOR'] && (isScreen || Boolean(env['FORCE_COLOR']));
  return {
    write: (text) => void stream.write(text),
    get columns() {
      return Math.max(fewestColumns, stream.columns ?? defaultColumns);
    },
    isScreen,
    paint: picocolors.createColors(hasColor),
  };
};
