import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

import {
  isSealed,
  type Append,
  type Board,
  type BoardEntry,
  type Durable,
  type Engine,
  type PersistedJournal,
  type Program,
  type ProgramRuns,
  type RunFound,
} from './journal.js';
import { InterlockError } from '../errors.js';

/** The keys of an encrypted journal. */
export interface EncryptionOptions {
  /** The key that encrypts everything: 32 bytes, raw or in base64. `openssl rand -base64 32` makes one. */
  readonly key: SealKey;
  /**
   * Earlier keys, which decrypt the stored runs that were encrypted with them. `'none'` reads the runs that were stored without encryption, so
   * that encryption can be switched on while runs are under way. Default: no earlier keys.
   */
  readonly previousKeys?: readonly SealKey[];
}

/**
 * An engine whose journals are unreadable without the key: a run's input, output, step results and chunks are encrypted with
 * AES-256-GCM. Ids of runs, resources, tool calls and steps, times and lengths stay in plain text. A text that was changed or
 * moved raises `durable/unreadable`. Raises `durable/invalid-key`.
 *
 * @example
 * const durability = encrypted(openWorkflow({ path: 'runs.db' }), { key: process.env.JOURNAL_KEY });
 */
export const encrypted = <E extends Engine>(engine: E, { key, previousKeys = [] }: EncryptionOptions): E => {
  const keys = previousKeys.filter((one) => one !== 'none');
  const seal = createSeal([key, ...keys], { readsPlain: previousKeys.includes('none') });
  return {
    ...engine,
    host: (program) => openedRuns(engine.host(sealedProgram(program, seal)), program.id, seal),
    close: () => engine.close(),
  };
};

/** The program as the engine runs it. */
const sealedProgram = ({ id, run }: Program, seal: Seal): Program => ({
  id,
  isEncrypted: true,
  run: async (durable, { runId, input }) => {
    const at = placesOf(id, runId);
    const append = sealedAppends(id, seal);
    const opened = (outer: Durable): Durable => ({
      ...outer,
      step: async (key, body, records) => {
        const place = at(`step ${key}`);
        const sealed = (): Append | undefined => {
          const those = records?.();
          return those && append(those);
        };
        return seal.open(await outer.step(key, async (inner) => seal.close(await body(opened(inner)), place), sealed), place);
      },
      publish: (those) => outer.publish(append(those)),
    });
    return seal.close(await run(opened(durable), { runId, input: seal.open(input, at('input')) }), at('output'));
  },
});

type PlaceOf = (entry: string) => string;

const placesOf =
  (program: string, runId: string): PlaceOf =>
  (entry) =>
    JSON.stringify([program, runId, entry]);

/** A record is encrypted once: a repeated append has the same texts. */
const sealedAppends = (program: string, seal: Seal): ((append: Append) => Append) => {
  const known = new WeakMap<BoardEntry, BoardEntry>();
  return ({ runId, at, entries }) => {
    const sealed = (entry: BoardEntry): BoardEntry => {
      const done = known.get(entry) ?? { ...entry, text: seal.close(entry.text, placesOf(program, runId)('entry')) };
      known.set(entry, done);
      return done;
    };
    return { runId, at, entries: entries.map(sealed) };
  };
};

/** The engine's runs as the program sees them. */
const openedRuns = (runs: ProgramRuns, program: string, seal: Seal): ProgramRuns => ({
  ...runs,
  start: ({ runId, input, ...rest }) =>
    runs.start({ ...rest, runId, input: seal.close(input, placesOf(program, runId)('input')) }),
  find: async (runId) => openedFound(await runs.find(runId), (output) => seal.open(output, placesOf(program, runId)('output'))),
  cancel: (runId) => runs.cancel(runId),
  ...(runs.journal && {
    journal: async (runId: string) => openedJournal(await runs.journal?.(runId), placesOf(program, runId), seal),
  }),
  board: openedBoard(runs.board, program, seal),
});

const openedJournal = (journal: PersistedJournal | undefined, at: PlaceOf, seal: Seal): PersistedJournal | undefined =>
  journal && {
    input: seal.open(journal.input, at('input')),
    steps: journal.steps.map(({ key, text }) => ({ key, text: seal.open(text, at(`step ${key}`)) })),
  };

const openedFound = (found: RunFound, open: (output: string) => string): RunFound =>
  found.kind === 'ended' ? { kind: 'ended', output: open(found.output) } : found;

const openedBoard = (board: Board, program: string, seal: Seal): Board => {
  const place = (runId: string, entry: 'entry' | 'note') => placesOf(program, runId)(entry);
  return {
    ...board,
    marked: async (runId, mark) =>
      (await board.marked(runId, mark)).map((one) => ({ ...one, text: seal.open(one.text, place(runId, 'entry')) })),
    read: async (runId, from) => (await board.read(runId, from)).map((entry) => seal.open(entry, place(runId, 'entry'))),
    pin: (runId, note) => board.pin(runId, note === undefined ? undefined : seal.close(note, place(runId, 'note'))),
    pinned: async () =>
      (await board.pinned())
        .filter(({ note }) => isSealed(note) || seal.readsPlain) // a process without the key notes that it cannot read the run
        .map(({ runId, note }) => ({ runId, note: seal.open(note, place(runId, 'note')) })),
  };
};

/** Encrypts texts and detects changes to them. */
type Seal = ReturnType<typeof createSeal>;

/** A key of 32 bytes, raw or in base64. */
type SealKey = Uint8Array | string;

const cipher = 'aes-256-gcm';
const keyBytes = 32;
const ivBytes = 12;
const tagBytes = 16;

interface Known {
  readonly id: string;
  readonly key: Buffer;
}

/** Encrypts with the first key; decrypts with any of them. `readsPlain`: texts that were never encrypted are returned as they are. Raises `durable/invalid-key`. */
export const createSeal = (given: readonly [SealKey, ...SealKey[]], { readsPlain = false } = {}) => {
  const { id, key } = readKey(given[0]);
  const keys = given.map(readKey);
  return {
    readsPlain,
    /** @param place the location of the text: it cannot be decrypted as the text of another location */
    close: (text: string, place: string): string => {
      const iv = randomBytes(ivBytes);
      const closing = createCipheriv(cipher, key, iv).setAAD(Buffer.from(place));
      const body = Buffer.concat([closing.update(text, 'utf8'), closing.final()]);
      return `${id}.${Buffer.concat([iv, closing.getAuthTag(), body]).toString('base64')}`;
    },
    /** Raises `durable/unreadable` for a text that was not sealed for this place with a known key. */
    open: (sealed: string, place: string): string => {
      if (readsPlain && !isSealed(sealed)) return sealed;
      const [keyId, encoded = ''] = sealed.split('.');
      const known = keys.find((one) => one.id === keyId);
      if (!known) throw new InterlockError('durable/unreadable', { path: place, detail: 'it has another key, or none.' });
      try {
        return opened(known, Buffer.from(encoded, 'base64'), place);
      } catch (cause) {
        throw new InterlockError('durable/unreadable', { path: place, detail: 'it was changed after encryption.', cause });
      }
    },
  };
};

const opened = ({ key }: Known, bytes: Buffer, place: string): string => {
  const from = ivBytes + tagBytes;
  const opening = createDecipheriv(cipher, key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes });
  opening.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(ivBytes, from));
  return opening.update(bytes.subarray(from), undefined, 'utf8') + opening.final('utf8');
};

const readKey = (given: unknown): Known => {
  if (typeof given !== 'string' && !(given instanceof Uint8Array))
    // such as an environment variable that is not set
    throw new InterlockError('durable/invalid-key', {
      detail: `it is ${given === undefined ? 'missing' : `of type ${typeof given}`}.`,
    });
  const key = typeof given === 'string' ? Buffer.from(given, 'base64') : Buffer.from(given);
  if (key.length !== keyBytes) throw new InterlockError('durable/invalid-key', { detail: `it has ${key.length} bytes.` });
  return { key, id: createHash('sha256').update('interlock key').update(key).digest('hex').slice(0, 8) };
};
