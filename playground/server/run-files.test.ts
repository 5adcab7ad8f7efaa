import { describe, expect, it, vi } from 'vitest';
import { runFileElement, runPath, type RunFile } from '../protocol/run-file.js';
import type { GuardView, StudioEntry } from '../protocol/trace-entry.js';
import { onePage } from './export/one-page.js';
import { makeAgent, openStudio } from './test-setup.js';

vi.mock('./export/one-page.js', () => ({ onePage: vi.fn() }));

/** The pages need not be built: only the run's data in them is checked. */
vi.mocked(onePage).mockImplementation(
  (file) => `<script type="application/json" id="${runFileElement}">${JSON.stringify(file).replaceAll('<', '\\u003c')}</script>`,
);

type Studio = Awaited<ReturnType<typeof openStudio>>;

const secret = 'ann@secret.example';

const opened = (options?: Parameters<typeof openStudio>[1]): Promise<Studio> =>
  openStudio(makeAgent([{ text: `Write to ${secret} </script>.` }, { text: 'Never again.' }]).agent, options);

const fileOf = async (studio: Studio, runId: string, words = ''): Promise<{ text: string; file: RunFile }> => {
  const text = await (await studio.get(`runs/${runId}/file${words}`)).text();
  const json = />(.*)<\/script>$/s.exec(text)?.[1] ?? '';
  return { text, file: JSON.parse(json) as RunFile };
};

const send = (studio: Studio, body: string): Promise<Response> => studio.get('import', { method: 'POST', body });

const editSeq = (entries: readonly StudioEntry[]): number | undefined =>
  entries.find(({ kind, ...entry }) => kind === 'event' && JSON.stringify(entry).includes('"verdict":"edit"'))?.seq;

describe('an exported run', () => {
  it('contains hidden text only on request', async () => {
    const studio = await opened();
    const { runId, entries } = await studio.run(`My mail is ${secret}.`);
    const seq = editSeq(entries);
    const seen = await fileOf(studio, runId);
    expect(seen.text).not.toContain(secret);
    expect(seen.file).toMatchObject({ runId, hasAllWords: false });
    expect(seen.file.answers[`${runPath(runId)}/guards/${seq}`]).toBeDefined();
    expect(seen.file.answers[runPath(runId)]).toMatchObject({ userText: expect.stringContaining('▒') as string });
    const all = await fileOf(studio, runId, '?words=all');
    expect(all.text).toContain(secret);
    expect(all.text.match(/<\/script>/g)).toHaveLength(1);
    const view = all.file.answers[`${runPath(runId)}/guards/${seq}`] as GuardView;
    expect(JSON.stringify(view.received)).toContain(secret);
    expect(all.file.answers[`${runPath(runId)}/reveal`]).toBeDefined();
  });

  it('contains hidden text in its trace only on request', async () => {
    const studio = await opened();
    const { runId } = await studio.run('Hello');
    expect(await (await studio.get(`runs/${runId}/trace`)).text()).not.toContain(secret);
    expect(await (await studio.get(`runs/${runId}/trace?words=all`)).text()).toContain(secret);
    const other = await opened({ content: 'released' });
    const released = await other.run('Hello');
    expect((await other.get(`runs/${released.runId}/trace?words=all`)).status).toBe(403);
    expect((await other.get(`runs/${released.runId}/file?words=all`)).status).toBe(403);
    expect((await fileOf(other, released.runId)).text).not.toContain(secret);
  });

  it('is imported, shown and replayed by another studio', async () => {
    const studio = await opened();
    const { runId, entries, summary } = await studio.run('Hello');
    const { text } = await fileOf(studio, runId, '?words=all');
    const other = await opened();
    const taken = await send(other, text);
    expect([taken.status, await taken.json()]).toEqual([201, { runId }]);
    expect(await other.summary(runId)).toEqual(summary);
    expect(await other.entriesOf(runId)).toEqual(entries);
    expect(await (await other.post(`runs/${runId}/replay`)).json()).toMatchObject({ after: { status: 'success' } });
    expect((await send(other, text)).status).toBe(201); // already imported
    expect(await other.entriesOf(runId)).toEqual(entries);
  });

  it('is imported without hidden text and as a trace', async () => {
    const studio = await opened();
    const { runId, entries, summary } = await studio.run('Hello');
    const { text } = await fileOf(studio, runId);
    const trace = await (await studio.get(`runs/${runId}/trace?words=all`)).text();
    for (const body of [text, trace]) {
      const other = await opened();
      expect((await send(other, body)).status).toBe(201);
      expect(await other.summary(runId)).toMatchObject({ status: summary.status, entries: entries.length });
    }
  });

  it('is rejected if the file is invalid', async () => {
    const studio = await opened();
    const page = (json: string) => `<script type="application/json" id="${runFileElement}">${json}</script>`;
    const bad = ['', 'no file', '{"kind":"header"}', page('{}'), page('{'), page('{"runId":"a","answers":{},"traces":{}}')];
    for (const text of bad) expect([text, (await send(studio, text)).status]).toEqual([text, 400]);
  });
});
