import { afterEach, expect, it, vi } from 'vitest';

afterEach(() => vi.unstubAllGlobals());

/** The client of a page whose server responds like this. */
const clientOf = (respond: () => Promise<Response>) => {
  vi.stubGlobal('document', { baseURI: 'http://studio.test/', querySelector: () => null });
  vi.stubGlobal('fetch', respond);
  return import('./request.js');
};

it('calls a server unreachable whose connection ends within a response', async () => {
  const body = new ReadableStream({
    start: (stream) => {
      stream.enqueue(new TextEncoder().encode('[{"seq":'));
      stream.error(new TypeError('Failed to fetch'));
    },
  });
  const { get } = await clientOf(async () => new Response(body));
  await expect(get('runs')).rejects.toMatchObject({ code: 'studio/unreachable' });
});

it('reads the error of the server, also one that is no JSON, and an empty response', async () => {
  const error = { code: 'studio/not-found', message: 'Nothing is there.' };
  const { get } = await clientOf(async () => Response.json({ error }, { status: 404 }));
  await expect(get('runs/none')).rejects.toMatchObject(error);
  const { getText } = await clientOf(
    async () => new Response('<h1>Bad gateway</h1>', { status: 502, statusText: 'Bad Gateway' }),
  );
  await expect(getText('runs')).rejects.toMatchObject({
    code: 'studio/unexpected',
    message: 'The server returned 502 Bad Gateway.',
  });
  const { post } = await clientOf(async () => new Response(null, { status: 204 }));
  expect(await post('runs/r/cancel')).toBeUndefined();
});
