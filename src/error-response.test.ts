import { HTTPException } from 'hono/http-exception';
import { describe, expect, it } from 'vitest';

import { errorResponse } from './error-response.js';
import { InterlockError } from './errors.js';

const answered = async (error: unknown) => {
  const response = errorResponse(error);
  return [response.status, await response.json()] as const;
};

describe('the answer to a request that failed', () => {
  it('has the status of the error, with its code and its words', async () => {
    const refused = new InterlockError('agent/loosened-option', { path: 'inputProcessors' });
    const { code, message, path } = refused;
    expect(await answered(refused)).toEqual([400, { error: { code, message, path } }]);
    expect(await answered(new InterlockError('agent/no-suspended-run'))).toMatchObject([
      404,
      { error: { code: 'agent/no-suspended-run' } },
    ]);
  });

  it('tells nothing of what went wrong inside', async () => {
    const inside = new InterlockError('guard/unavailable', { path: 'judge', detail: 'secret', cause: new Error('secret') });
    const [status, body] = await answered(inside);
    expect([status, JSON.stringify(body)]).toEqual([500, expect.not.stringContaining('secret')]);
    expect(body).toMatchObject({ error: { code: 'guard/unavailable' } });
    for (const error of [new Error('secret'), 'secret', undefined])
      expect(await answered(error)).toEqual([500, { error: { message: 'Internal Server Error' } }]);
  });

  it('is the one that an error of Hono has for itself', async () => {
    const response = errorResponse(new HTTPException(401, { res: new Response('Who are you?', { status: 401 }) }));
    expect([response.status, await response.text()]).toEqual([401, 'Who are you?']);
  });
});
