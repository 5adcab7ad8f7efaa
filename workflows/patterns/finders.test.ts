import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { flushText, nothingPending, pushText } from '../stream/hold-back.js';
import { cutsOf, itEvery } from '../test-setup.js';
import { combineFinders, type CombinedFinder } from './combine-finders.js';
import { idCountries } from './kinds/national-id.js';
import { findersOf, valueKinds, type ValueKind } from './value-kinds.js';
import { times } from '../../test/modes.js';

/** In pieces, so that no secret scanner takes this file for a leak. */
const assembled = (...pieces: string[]): string => pieces.join('');

/** Fake values in the form of each kind. */
const samples: Record<ValueKind, string[]> = {
  pem: [
    assembled(
      '-----BEG',
      'IN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nBKcwggSjAgEAAoIBAQ==\n-----END PRIVATE KEY-----',
    ),
    assembled(
      '-----BEG',
      'IN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00AA\n\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END RSA PRIVATE KEY-----',
    ),
    assembled('-----BEG', 'IN EC PRIVATE KEY-----\\nMHcCAQEEIIr8mQ0pQ2c4nq0zVdXh\\n-----END EC PRIVATE KEY-----'),
    assembled(
      '-----BEG',
      'IN PGP PRIVATE KEY BLOCK-----\n\nlQOYBGFakeFakeFakeFakeFake\n=abcd\n-----END PGP PRIVATE KEY BLOCK-----',
    ),
  ],
  'url-credentials': ['admin:s3cret', 'user:p%40ss:word', ':p4ssw0rd', 'oauth2token1234567890'],
  jwt: [
    assembled('eyJhb', 'GciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.c2lnbmF0dXJlLWhlcmU'),
    assembled('eyJhb', 'GciOiJub25lIn0.eyJpc3MiOiJqb2UifQ.'),
    assembled('eyJhb', 'GciOiJSU0EtT0FFUCIsImVuYyI6IkEyNTZHQ00ifQ.T0thb2s.NDh2MWE.NWVhUGI.WEZCb2o'),
  ],
  'api-key': [
    assembled('sk-an', 't-api03-Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MA-AA'),
    assembled('sk-pr', 'oj-Zm9vYmFyYmF6_cXV4MTIzNDU2Nzg5MA'),
    assembled('sk-55', '0e8400-e29b-41d4-a716-446655440000'),
    assembled('sk-a1', 'b2c3d4e5f6g7h8i9j0k1l2m3n4o5p6q7r8s9t0u1v2w3x4'),
    assembled('AKIAZ', 'Z7EXAMPLE7EXAMP'),
    assembled('ghp_a', '1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'),
    assembled('githu', 'b_pat_11ABCDEFG0abcdefghijkl_mnopqrstuvwxyz0123456789'),
    assembled('xoxb-', '1234567890-abcdefghijklmnop'),
    assembled('AIzaS', 'yA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q'),
    assembled('sk_li', 've_a1b2c3d4e5f6g7h8i9j0'),
    assembled('SG.ab', 'cdefghijklmnopqrstuv.abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG'),
  ],
  secret: ['Tr0ub4dor&3', 'hunter2', 'correct-H0rse-battery'],
  bearer: ['abc123.def456-ghi789_jkl', 'dXNlcjpwYXNzd29yZA=='],
  email: ['jane.doe+tag@mail.example.co.uk', 'иван@пример.рф', "o'brien@example.ie"],
  iban: ['DE89 3704 0044 0532 0130 00', 'GB29NWBK60161331926819'],
  card: ['4111 1111 1111 1111', '378282246310005', '5555-5555-5555-4444'],
  ssn: ['536-90-4399'],
  'national-id': ['756.9217.0769.85', '12345678Z'],
  ip: ['203.0.113.7', '2001:db8::8a2e:370:7334'],
  mac: ['00:1B:44:11:3A:B7', '00-1b-44-11-3a-b7', '001b.4411.3ab7'],
  phone: ['+1 415-555-2671', '+44 (0)20 7946 0958', '0049 30 901820'],
};

/** The required text before a value. */
const before: Partial<Record<ValueKind, string>> = {
  'url-credentials': 'see https://',
  bearer: 'Authorization: Bearer ',
  secret: 'the password: ',
};
const after: Partial<Record<ValueKind, string>> = { 'url-credentials': '@host.example/path' };

const countries = ['CH', 'ES'] as const;
const all = combineFinders(findersOf(valueKinds, { countries }));
const replace = (_value: string, { kind, isRest }: { kind: string; isRest?: boolean }) => (isRest ? '' : `[${kind}]`); // as redactor's

const whole = (text: string, pattern: CombinedFinder = all) => flushText({ text, from: 0 }, { pattern, replace });
const inPieces = (pieces: readonly string[], pattern: CombinedFinder = all) => {
  let held = nothingPending;
  const released: string[] = [];
  for (const piece of pieces) {
    const pushed = pushText(held, piece, { pattern, replace });
    held = pushed.held;
    released.push(pushed.released);
  }
  return { released, joined: released.join('') + flushText(held, { pattern, replace }), held };
};

const seeded = (seed: number) => () => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648;
const randomCuts = (text: string, count: number): string[][] => {
  const random = seeded(7);
  return Array.from({ length: count }, () => {
    const pieces: string[] = [];
    for (let at = 0; at < text.length;) {
      const size = 1 + Math.floor(random() * random() * 20);
      pieces.push(text.slice(at, at + size));
      at += size;
    }
    return pieces;
  });
};

const cases = valueKinds.flatMap((kind) => samples[kind].map((value) => [kind, value] as const));

describe.each(cases)('%s: %j', (kind, value) => {
  const [lead, tail] = [before[kind] ?? 'The value is ', after[kind] ?? ' as I said.'];
  const text = `${lead}${value}${tail}`;
  const finder = combineFinders(findersOf([kind], { countries }));

  it('is found as a whole: alone, in the middle and at the end', () => {
    const values = (each: string) => finder.find(each, 0).map(({ start, end }) => each.slice(start, end));
    expect(values(text)).toEqual([value]);
    expect(values(`${lead}${value}${after[kind] ?? ''}`)).toEqual([value]);
    expect(values(`(${lead}${value}${tail})`)).toEqual([value]);
    expect(values(`${lead}${value}${tail}\n${lead}${value}${tail}`)).toEqual([value, value]);
  });

  it('is replaced without a released fragment regardless of chunk boundaries', () => {
    const expected = `${lead}[${kind}]${tail}`;
    expect(whole(text, finder)).toBe(expected);
    for (const pieces of [...cutsOf(text), text.split(''), ...randomCuts(text, times(60, 300).numRuns)]) {
      const { released, joined } = inPieces(pieces, finder);
      expect(joined, JSON.stringify(pieces)).toBe(expected);
      let emitted = '';
      for (const piece of released) expect(expected.startsWith((emitted += piece)), JSON.stringify(pieces)).toBe(true);
    }
  });

  it('is at most maxLength characters long', () => {
    expect(value.length).toBeLessThanOrEqual(Number(finder.maxLength));
  });
});

const harmless = [
  'Order 4155552671 of 2024-01-15 costs $1,299.95 (invoice no. 2024/0815-4711).',
  'id 550e8400-e29b-41d4-a716-446655440000, commit 5e91eed0a1b2c3d4e5f60718293a4b5c6d7e8f90',
  'Version 1.2.3.4, build 20240115.1, v10.0.19045, semver 2.0.0-rc.1+build.5',
  'At 12:30:45 on 15.01.2024, 1718000000 seconds, 1717171717171 ms, 3.14159265358979',
  '"version": "1.2.3.4", AssemblyVersion("1.0.0.0"), ==1.2.3.4, >= 1.2.3.4, ^1.2.3.4, Section 1.2.3.4, § 3.2.6.6, OID: 1.3.6.1, sections 8.2.4.44 and 3.2.6.6, Kapitel 4.1.2.3, (Abschnitt 2.3.4.5, 2.3.4.6), Table 2.3.1.4, RFC 7231 3.1.1.5, capítulo 1.2.3.4, rfc7231#section-3.1.1.5, V8 14.6.202.34-node.20',
  'logo@2x.png icon@3x.webp lib@1.0.beta npm foo@1.2.3.tgz git+ssh://git@github.com/a/b',
  'class="sk-loading-indicator-wrapper-1 sk-button-primary-large-2xl-container-v2"',
  'apiKey: config.openai.apiKey2023, api_key = process.env.API_KEY_2; access_token=ACCESS_TOKEN_1 client_secret: "your-client-secret-1"',
  'uuid 11111111-2222-3333-4444-555555555555, /tmp/x-1596115458.110205-105717464505158/source',
  'https://stackoverflow.com/q/12589419/1307905',
  'ISBN 978-3-16-148410-0, EAN 4006381333931, tracking 1Z999AA10123456784',
  'pip install requests==2.31.0; git clone git@github.com:owner/repo.git; npm i @scope/pkg@1.2.3',
  'The bearer of this letter, and a bearer authentication scheme, sk-learn, ghp, task-force, AKIA',
  'https://example.com/path?x=1#y http://localhost:8080/a:b@c std::vector a::b::c',
  'eyJ is how a token begins. -----BEGIN is how a block begins. api_key = process.env.KEY',
  'Phone extension 4711, room 12-34, score 3-2, 10-20-30, 555-1234, 1 000 000 000 000',
  'long digits 12345678901234567890123456789012345678901234567890 and 0000000000000000',
  'Emoji 👨‍👩‍👧‍👦 🏴󠁧󠁢󠁥󠁮󠁧󠁿 שָׁלוֹם العربية 日本語 text',
  'ＡＢＣ　１２３４ 価格：５，０００円、10²+2½ ≈ ④ 𝑓(𝑥)＝𝑥−1 soft\u00ADhyphen ٢٠٢٤\u201102\u201103',
  'https://x.example/?q=50%25+off%20today&amp;a=1&#39;2&#x41; printf("%40d\\u0041\\n") 100%, R&D',
];

/** Disguised forms of a text with the same reading. */
const disguises: Readonly<Record<string, (text: string) => string>> = {
  'full-width': (text) => text.replaceAll(/[!-~]/g, (sign) => String.fromCodePoint(sign.charCodeAt(0) + 0xfee0)),
  mathematical: (text) => text.replaceAll(/[a-z]/g, (sign) => String.fromCodePoint(sign.charCodeAt(0) - 0x61 + 0x1d41a)),
  'Arabic digits': (text) => text.replaceAll(/\d/g, (digit) => String.fromCodePoint(0x660 + Number(digit))),
  'Bengali digits': (text) => text.replaceAll(/\d/g, (digit) => String.fromCodePoint(0x9e6 + Number(digit))),
  'other dashes': (text) => text.replaceAll('-', '\u2011'),
  'zero-width spaces': (text) => text.split('').join('\u200B'),
  'tags and turned directions': (text) => text.split('').join('\u{E0041}\u202E\u00AD'),
  selectors: (text) => text.replaceAll(/(?!^)\d/g, '\uFE0F$&'),
  JSON: (text) => text.replaceAll(/[^A-Za-z0-9\s]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`),
  URL: (text) => text.replaceAll(/[^A-Za-z0-9\s]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`),
  HTML: (text) => text.replaceAll(/[^A-Za-z0-9\s]/g, (sign) => `&#${sign.charCodeAt(0)};`),
};

describe('a value in disguise', () => {
  const plain: Readonly<Partial<Record<ValueKind, string>>> = {
    email: 'jane@example.com',
    card: '4111-1111-1111-1111',
    ssn: '536-90-4399',
    'national-id': '756.9217.0769.85',
    ip: '203.0.113.7',
    phone: '+1-415-555-2671',
    iban: 'DE89 3704 0044 0532 0130 00',
    'api-key': 'sk-ant-api03-aB3daB3daB3daB3d',
  };
  const written = Object.entries(plain).flatMap(([kind, value]) =>
    Object.entries(disguises).flatMap(([how, disguise]) =>
      disguise(value) === value ? [] : [[kind, how, disguise(value)] as const],
    ),
  );

  itEvery(written)('%s, %s: is found and no fragment of it is released regardless of chunk boundaries', (kind, _how, value) => {
    const text = `It is ${value} , ok`;
    for (const pieces of [[text], text.split(''), ...randomCuts(text, 10)])
      expect(inPieces(pieces).joined, JSON.stringify(pieces)).toBe(`It is [${kind}] , ok`);
  });

  it('is found with a disguised label, an incomplete escape sequence or percent-encoding', () => {
    expect(whole('B\u200Bearer mF_9.B5f-4.1JqM ok')).toBe('B\u200Bearer [bearer] ok');
    expect(inPieces(['to \\u006', 'aane@example.com', ' ok']).joined).toBe('to [email] ok');
    expect(whole('postgres://user:p%40ss%2Fw@host/db')).toBe('postgres://[url-credentials]@host/db');
  });

  it('is replaced in a sequence of addresses regardless of chunk boundaries', () => {
    const text = 'eyJhbGciOiJub25lIn0.eyJpc3MiOiJqb2UifQ.AKIAZZ7EXAMPLE7EXAMPиван＠пример．рфиван＠пример．рф';
    for (const pieces of [text.match(/.{1,9}/g) ?? [], text.split(''), ...cutsOf(text)])
      expect(inPieces(pieces).joined, JSON.stringify(pieces)).toBe(whole(text));
  });

  it('ends at more than 16 invisible characters', () => {
    const text = (count: number) => `jane${'\u200B'.repeat(count)}@example.com ok`;
    expect([whole(text(16)), whole(text(17))]).toEqual(['[email] ok', text(17)]);
  });
});

describe('a URL with credentials', () => {
  itEvery([
    ['https://admin:s3cret@host.example/path', 'https://[url-credentials]@host.example/path'],
    ['https://oauth2token1234567890@host.example/', 'https://[url-credentials]@host.example/'],
    ['https://admin:s3cret@203.0.113.7/ jane@example.com', 'https://[url-credentials]@[ip]/ [email]'],
    ['https://jane@example.com/', 'https://[email]/'],
  ])('keeps its host regardless of chunk boundaries: %s', (text, expected) => {
    expect(whole(text)).toBe(expected);
    for (const pieces of [...cutsOf(text), text.split('')])
      expect(inPieces(pieces).joined, JSON.stringify(pieces)).toBe(expected);
  });
});

describe('text without values', () => {
  itEvery(harmless)('is not changed: %j', (text) => {
    expect(whole(text)).toBe(text);
    for (const pieces of [text.split(''), ...randomCuts(text, 50)]) expect(inPieces(pieces).joined).toBe(text);
  });
});

describe('properties', () => {
  const piece = fc.oneof(
    fc.constantFrom(...cases.map(([kind, value]) => `${before[kind] ?? ''}${value}${after[kind] ?? ''}`)),
    fc
      .constantFrom(...cases.map(([, value]) => value))
      .chain((value) => fc.nat(value.length).map((length) => value.slice(length))),
    fc.constantFrom(
      ' ',
      ' ',
      '@',
      '.',
      '-',
      ':',
      '://',
      '+',
      '1',
      '4111',
      '00',
      'a',
      '\n',
      '(',
      'ssn ',
      'bearer ',
      'sk-',
      '😀',
      'é',
      '\u200B',
      '%4',
      '\\u004',
      '0',
      '&#6',
      '４',
      '4;',
    ),
    fc
      .tuple(fc.constantFrom(...cases.map(([, value]) => value)), fc.constantFrom(...Object.values(disguises)))
      .map(([value, disguise]) => disguise(value)),
    fc.string({ unit: 'grapheme', maxLength: 5 }),
  );
  const text = fc.array(piece, { maxLength: 10 }).map((pieces) => pieces.join(''));
  const cut = fc.infiniteStream(fc.integer({ min: 1, max: 12 }));

  it.each(['all', ...valueKinds] as const)(
    '%s: the released pieces add up to the whole result regardless of chunk boundaries',
    (kind) => {
      const finder = combineFinders(
        findersOf(kind === 'all' ? valueKinds : [kind], { defaultCountry: 'US', countries: idCountries }),
      );
      fc.assert(
        fc.property(text, cut, (each, sizes) => {
          const pieces: string[] = [];
          for (let at = 0; at < each.length;) {
            const size = sizes.next().value;
            pieces.push(each.slice(at, at + size));
            at += size;
          }
          expect(inPieces(pieces, finder).joined).toBe(whole(each, finder));
        }),
        kind === 'all' ? times(150, 600) : times(80, 400),
      );
    },
  );

  it('buffers at most one word of ordinary text and a bounded lookbehind', () => {
    const words = 'It is on its way, and will be there on Thursday. '.repeat(50);
    const { released, held } = inPieces(words.match(/.{1,4}/g) ?? []);
    let [receivedLength, emittedLength] = [0, 0];
    for (const [index, each] of released.entries()) {
      receivedLength += (words.match(/.{1,4}/g) ?? [])[index]?.length ?? 0;
      emittedLength += each.length;
      expect(receivedLength - emittedLength).toBeLessThanOrEqual(12);
    }
    expect(held.text.length).toBeLessThan(all.lookbehind + 20);
  });
});

/** Each of these takes quadratic time, or worse, in a careless expression, or makes it buffer without end. */
const adversarial = [
  'a',
  '@',
  'a@',
  'a@b.co',
  'a.',
  '1',
  '1 ',
  '1-',
  ':',
  '+1 ',
  '(1',
  '00',
  'AA11 ',
  'ssn ',
  '4111 ',
  '-----BEGIN A-----',
  '-----BEGIN A-----\nAAAAAAAAAAAAAAAAAAAA',
  'eyJhbGciOiJIUzI1NiJ9.',
  'eyJ',
  'sk-',
  'sk-a1',
  'bearer ',
  'bearer a',
  'http://a:',
  'http://a:b@',
  '\\n',
  'api_key=',
  'é',
  '😀',
  '\u200B',
  '１',
  'a\u200B@',
  '\\u0040',
  '%4',
  '&#0',
];

describe('long adversarial input', () => {
  itEvery(adversarial)('processes 50,000 characters of %j', (piece) => {
    const text = piece.repeat(Math.ceil(50_000 / piece.length));
    expect(whole(`${text}!`).length).toBeGreaterThan(0);
    expect(all.open(text, 0)).toBeLessThanOrEqual(text.length);
  });

  itEvery(adversarial)('buffers a bounded part of a stream of %j', (piece) => {
    const text = piece.repeat(Math.ceil(30_000 / piece.length));
    const pieces = text.match(/[^]{1,600}/g) ?? [];
    let held = nothingPending;
    for (const each of pieces) {
      held = pushText(held, each, { pattern: all, replace }).held;
      expect(held.text.length - held.from).toBeLessThanOrEqual(Number(all.maxLength) + all.lookahead + 600);
      expect(held.from).toBeLessThanOrEqual(all.lookbehind + 1 + 400); // the beginning of a line, which may be a table's header
    }
  });
});
