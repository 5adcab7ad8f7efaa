import { HTTPException } from 'hono/http-exception';
import { describe, expect, it } from 'vitest';

import { errorResponse } from './responses.js';
import { InterlockError } from './errors.js';

const answered = async (error: unknown) => {
  const response = errorResponse(error);
  return [response.status, await response.json()] as const;
};

describe('the response to a failed request', () => {
  it('has the status, code and message of the error', async () => {
    const refused = new InterlockError('agent/loosened-option', { path: 'inputProcessors' });
    const { code, message, path } = refused;
    expect(await answered(refused)).toEqual([400, { error: { code, message, path } }]);
    expect(await answered(new InterlockError('agent/no-suspended-run'))).toMatchObject([
      404,
      { error: { code: 'agent/no-suspended-run' } },
    ]);
  });

  it('hides the details of internal errors', async () => {
    const inside = new InterlockError('guard/unavailable', { path: 'judge', detail: 'secret', cause: new Error('secret') });
    const [status, body] = await answered(inside);
    expect([status, JSON.stringify(body)]).toEqual([500, expect.not.stringContaining('secret')]);
    expect(body).toMatchObject({ error: { code: 'guard/unavailable' } });
    for (const error of [new Error('secret'), 'secret', undefined])
      expect(await answered(error)).toEqual([500, { error: { message: 'Internal Server Error' } }]);
  });

  it('is the response of a Hono error', async () => {
    const response = errorResponse(new HTTPException(401, { res: new Response('Who are you?', { status: 401 }) }));
    expect([response.status, await response.text()]).toEqual([401, 'Who are you?']);
  });
});
