import { eld } from 'eld/medium';
import { describe, expect, it } from 'vitest';
import { languageGuard } from './language-guard.js';
import { hosts, runOn } from './test-setup.js';

const german = 'Das Paket hat unser Lager am Montag verlassen und kommt am Donnerstag an.';
const english = 'The parcel left our warehouse on Monday and will arrive on Thursday.';

describe.each(hosts)('languageGuard in %s', (host) => {
  const run = (prompt: string, answer: string) =>
    runOn(host, { steps: [{ text: answer }], prompt, guards: [languageGuard({ languages: ['en'], detector: eld })] });

  it('stops other languages and passes allowed languages and short texts', async () => {
    expect((await run(german, english)).stopped).toContain('The input is not written in en.');
    expect((await run(english, german)).stopped).toContain('The answer is not written in en.');
    expect(await run(english, english)).toMatchObject({ stopped: undefined, text: english });
    expect((await run('Danke schön', english)).stopped).toBeUndefined();
  });
});

describe('languageGuard', () => {
  it('passes a text if the detector is not reliable', async () => {
    const detector = { detect: () => ({ language: 'xx', isReliable: () => false }) };
    const guards = [languageGuard({ languages: ['en'], detector })];
    expect((await runOn('InterlockAgent', { steps: [{ text: english }], guards })).stopped).toBeUndefined();
  });

  it('rejects options without a detector', () => {
    expect(() => languageGuard({ languages: ['en'] } as never)).toThrow(
      expect.objectContaining({ code: 'guard/invalid-option' }) as Error,
    );
  });
});
