import { StatementSync } from 'node:sqlite';

/** A fault inside a process, as a command on its standard input. */
export type Command =
  /** Its event loop is blocked. */
  | { readonly kind: 'block'; readonly ms: number }
  /** Its wall clock jumps. */
  | { readonly kind: 'clock'; readonly byMs: number }
  /** The disk of its files is full. */
  | { readonly kind: 'full'; readonly ms: number };

const block = (ms: number): void => {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  Atomics.wait(cell, 0, 0, ms);
};

let offsetMs = 0;
const shiftClock = (): void => {
  const RealDate = Date;
  const now = (): number => RealDate.now() + offsetMs;
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args: unknown[], newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget) as object,
    get: (target, name) => (name === 'now' ? now : (Reflect.get(target, name) as unknown)),
  });
};

/** SQLite's error for a full disk. */
const full = (): Error => Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 });

let isFull = false;
const fill = (ms: number): void => {
  isFull = true;
  setTimeout(() => (isFull = false), ms);
};

const failWrites = (): void => {
  for (const name of ['run', 'get', 'all'] as const) {
    const real = StatementSync.prototype[name] as (this: StatementSync, ...args: unknown[]) => unknown;
    const writing = function (this: StatementSync, ...args: unknown[]): unknown {
      if (isFull && /^\s*(?:insert|update|delete|replace)\b/i.test(this.sourceSQL)) throw full();
      return real.call(this, ...args);
    };
    Object.defineProperty(StatementSync.prototype, name, { value: writing });
  }
};

const follow = (command: Command): void => {
  switch (command.kind) {
    case 'block':
      return block(command.ms);
    case 'clock':
      offsetMs += command.byMs;
      return;
    case 'full':
      return fill(command.ms);
    default:
      command satisfies never;
  }
};

/** Lets the tests cause faults in this process, one line for each. */
export const followCommands = (): void => {
  failWrites();
  shiftClock();
  process.stdin.on('data', (data: Buffer) => {
    for (const line of data.toString().split('\n').filter(Boolean)) follow(JSON.parse(line) as Command);
  });
  process.stdin.unref();
};
