import { runFileElement, type RunFile } from '../../protocol/run-file.js';

interface ApiErrorFacts {
  /** A code of the library's error table, or of the studio's. */
  readonly code: string;
  readonly message: string;
  /** The subject of the error, if the server names it. */
  readonly path?: string;
  /** The address of the code's documentation, if the server has it. */
  readonly docs?: string;
}

/** The server's error, or an error for a missing response. */
export class ApiError extends Error {
  readonly code: string;
  readonly path: string | undefined;
  readonly docs: string | undefined;

  constructor({ code, message, path, docs }: ApiErrorFacts) {
    super(message);
    this.name = 'ApiError';
    this.code = code;
    this.path = path;
    this.docs = docs;
  }
}

/** The run in this document, if it was exported: then no server is used. */
export const runFile: RunFile | undefined = (() => {
  if (!('document' in globalThis)) return undefined; // a test in Node
  const text = document.querySelector(`#${runFileElement}`)?.textContent;
  return text ? (JSON.parse(text) as RunFile) : undefined; // written by a studio
})();

const answerOf = ({ answers }: RunFile, path: string): unknown => {
  if (!Object.hasOwn(answers, path))
    throw new ApiError({
      code: 'studio/not-exported',
      message: 'This text is not in the file. The run was exported without it.',
    });
  return answers[path];
};

/** The address of an API resource, at any mount path. */
export const apiUrl = (path: string): string => new URL(`api/${path}`, document.baseURI).href;

/** Another server's error may be no JSON. */
const errorIn = ({ status, statusText }: Response, text: string): ApiError => {
  const unexpected = { code: 'studio/unexpected', message: `The server returned ${status} ${statusText}.` };
  try {
    return new ApiError({ ...unexpected, ...(JSON.parse(text) as { error?: Partial<ApiErrorFacts> } | null)?.error });
  } catch {
    return new ApiError(unexpected);
  }
};

/** The text of a response. A connection that ends while it is read counts as one that could not be opened. */
const request = async (path: string, init?: RequestInit): Promise<string> => {
  const [response, text] = await fetch(apiUrl(path), init)
    .then(async (opened) => [opened, await opened.text()] as const)
    .catch((cause: unknown) => {
      if (cause instanceof DOMException && cause.name === 'AbortError') throw cause;
      throw new ApiError({
        code: 'studio/unreachable',
        message: 'The studio server is not reachable. Check that it is running.',
      });
    });
  if (!response.ok) throw errorIn(response, text);
  return text;
};

/** Requests JSON; throws an {@link ApiError}. */
export const get = async <T>(path: string, signal?: AbortSignal): Promise<T> =>
  runFile ? (answerOf(runFile, path) as T) : (JSON.parse(await request(path, { signal: signal ?? null })) as T); // by the protocol

/** Requests text, e.g. a file. */
export const getText = (path: string): Promise<string> => request(path);

/** Sends JSON, or a text unchanged, and returns the response; `undefined` if there is none (204). */
export const post = async <T = undefined>(path: string, body: unknown = {}): Promise<T> => {
  const headers = { 'content-type': 'application/json' };
  const sent = typeof body === 'string' ? { body } : { headers, body: JSON.stringify(body) };
  const text = await request(path, { method: 'POST', ...sent });
  return (text === '' ? undefined : JSON.parse(text)) as T; // as above
};

/** A query string from the defined values. */
export const query = (values: Readonly<Record<string, string | number | undefined>>): string => {
  const set = Object.entries(values).filter(([, value]) => value !== undefined && value !== '');
  return set.length === 0 ? '' : `?${new URLSearchParams(set.map(([name, value]) => [name, String(value)])).toString()}`;
};
