import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countKinds } from './combine-finders.js';
import { findValues, personalKinds } from './test-setup.js';
import type { ValueKind, ValueKindOptions } from './value-kinds.js';
import { itEvery } from '../test-setup.js';
import { times } from '../../test/modes.js';

const found = (text: string, kinds?: readonly ValueKind[], options?: ValueKindOptions) =>
  findValues(text, kinds, options).map(({ kind, start, end }) => [kind, text.slice(start, end)]);
const valuesOf = (text: string, kind: ValueKind, options?: ValueKindOptions) =>
  found(text, [kind], options).map(([, value]) => value);

describe('email', () => {
  itEvery([
    ['Write to jane@example.com.', 'jane@example.com'],
    ['<mailto:jane.doe+tag@mail.example.co.uk>', 'jane.doe+tag@mail.example.co.uk'],
    ["'o'brien@example.ie'", "o'brien@example.ie"],
    ['(jane_doe-1@example.org)', 'jane_doe-1@example.org'],
    ['josé@example.com', 'josé@example.com'],
    ['info@bücher.example', 'info@bücher.example'],
    ['邮箱jane@example.com谢谢', 'jane@example.com'],
    ['почта: иван@пример.рф', 'иван@пример.рф'],
    ['"email":"jane@example.com",', 'jane@example.com'],
    ['jane@example.com@other.example', 'jane@example.com'],
  ])('finds the address in %j', (text, value) => {
    expect(valuesOf(text, 'email')).toContain(value);
  });

  itEvery([
    'npm install foo@1.2.3 bar@latest',
    'user@localhost',
    'https://user:secret@host.example/path',
    '@jane on the forum',
    'a @ b . com',
    'git clone git@github.com:owner/repo.git',
    'jane@example',
    'jane@-example.com',
    'jane@example. com',
    '@@@@',
  ])('finds none in %j', (text) => {
    expect(valuesOf(text, 'email')).toEqual([]);
  });
});

const ibans = [
  'AE070331234567890123456',
  'AT611904300234573201',
  'BE68539007547034',
  'BG80BNBG96611020345678',
  'BR1800360305000010009795493C1',
  'CH9300762011623852957',
  'CY17002001280000001200527600',
  'CZ6508000000192000145399',
  'DE89370400440532013000',
  'DK5000400440116243',
  'EE382200221020145685',
  'ES9121000418450200051332',
  'FI2112345600000785',
  'FR1420041010050500013M02606',
  'GB29NWBK60161331926819',
  'GE29NB0000000101904917',
  'GR1601101250000000012300695',
  'HR1210010051863000160',
  'HU42117730161111101800000000',
  'IE29AIBK93115212345678',
  'IL620108000000099999999',
  'IS140159260076545510730339',
  'IT60X0542811101000000123456',
  'LI21088100002324013AA',
  'LT121000011101001000',
  'LU280019400644750000',
  'LV80BANK0000435195001',
  'MC5811222000010123456789030',
  'MT84MALT011000012345MTLCAST001S',
  'NL91ABNA0417164300',
  'NO9386011117947',
  'PL61109010140000071219812874',
  'PT50000201231234567890154',
  'QA58DOHB00001234567890ABCDEFG',
  'RO49AAAA1B31007593840000',
  'SA0380000000608010167519',
  'SE4550000000058398257466',
  'SI56263300012039086',
  'SK3112000000198742637541',
  'SM86U0322509800000000270100',
  'TR330006100519786457841326',
  'UA213223130000026007233566001',
];

const inGroups = (value: string, separator = ' ') => value.match(/.{1,4}/g)?.join(separator) ?? value;
const withWrongChecksum = (iban: string) =>
  iban.slice(0, 2) + String((Number(iban.slice(2, 4)) + 1) % 100).padStart(2, '0') + iban.slice(4);

describe('iban', () => {
  itEvery(ibans)('finds %s, plain, in groups, in lower case and before words', (iban) => {
    expect(valuesOf(`Pay to ${iban}, thanks`, 'iban')).toEqual([iban]);
    expect(valuesOf(`IBAN:${inGroups(iban)} and soon`, 'iban')).toEqual([inGroups(iban)]);
    expect(valuesOf(inGroups(iban, '-'), 'iban')).toEqual([inGroups(iban, '-')]);
    expect(valuesOf(iban.toLowerCase(), 'iban')).toEqual([iban.toLowerCase()]);
  });

  itEvery(ibans)('does not find a %s with a wrong checksum', (iban) => {
    expect(valuesOf(`Pay to ${withWrongChecksum(iban)}`, 'iban')).toEqual([]);
  });

  itEvery([
    'XX89370400440532013000',
    'DE8937040044053201300',
    'xDE89370400440532013000',
    'DE89370400440532013000x',
    'AB12 is a room',
  ])('finds none in %j', (text) => {
    expect(valuesOf(text, 'iban')).toEqual([]);
  });

  it('excludes a bank code after the IBAN', () => {
    expect(valuesOf('GB29NWBK60161331926819 NWBKGB2L', 'iban')).toEqual(['GB29NWBK60161331926819']);
  });
});

const cards: [brand: string, digits: string, grouped: string][] = [
  ['visa', '4111111111111111', '4111 1111 1111 1111'],
  ['visa', '4012888888881881', '4012-8888-8888-1881'],
  ['visa debit', '4000056655665556', '4000.0566.5566.5556'],
  ['mastercard', '5555555555554444', '5555 5555 5555 4444'],
  ['mastercard', '5105105105105100', '51051051 05105100'],
  ['mastercard, 2-series', '2223003122003222', '2223 0031 2200 3222'],
  ['amex', '378282246310005', '3782 822463 10005'],
  ['amex', '371449635398431', '3714-496353-98431'],
  ['discover', '6011111111111117', '6011 1111 1111 1117'],
  ['diners', '30569309025904', '3056 930902 5904'],
  ['diners', '38520000023237', '3852 0000 0232 37'],
  ['jcb', '3530111333300000', '3530 1113 3330 0000'],
  ['unionpay', '6250941006528599', '6250 9410 0652 8599'],
];

describe('card', () => {
  itEvery(cards)('finds a %s, plain and in groups', (_brand, digits, grouped) => {
    expect(valuesOf(`Card: ${digits}.`, 'card')).toEqual([digits]);
    expect(valuesOf(`My card is ${grouped}, ok?`, 'card')).toEqual([grouped]);
    expect(valuesOf(`${grouped}\n`, 'card')).toEqual([grouped]);
  });

  itEvery(cards)('does not find a %s with a wrong check digit', (_brand, digits) => {
    const wrong = digits.slice(0, -1) + String((Number(digits.at(-1)) + 1) % 10);
    expect(valuesOf(`Card: ${wrong}`, 'card')).toEqual([]);
  });

  it('finds a card next to its date and code', () => {
    expect(valuesOf('4111 1111 1111 1111 12/26 123', 'card')).toEqual(['4111 1111 1111 1111']);
    expect(valuesOf('No. 12 4111-1111-1111-1111', 'card')).toEqual(['4111-1111-1111-1111']);
    expect(valuesOf('Order 2024-4111111111111111', 'card')).toEqual(['4111111111111111']);
    expect(valuesOf('4111111111111111 5555555555554444', 'card')).toEqual(['4111111111111111', '5555555555554444']);
  });

  itEvery([
    ['a bar code', '4006381333931'],
    ['a 13-digit number that passes the check', '4222222222222'],
    ['the decimals of a number', '0.4111111111111111'],
    ['a longer number', '41111111111111111111111'],
    ['a hash', 'a4111111111111111'],
    ['an identifier', 'id_4111111111111111_x'],
    ['a time in milliseconds', '1717171717171'],
    ['pairs of digits', '41 11 11 11 11 11 11 11'],
    ['a brand that does not exist', '9999999999999995'],
    ['a mastercard that is too short', '51000000000008'],
    ['a longer number that ends like a mastercard', '0002221000000000009'],
  ])('does not find a card in %s', (_what, text) => {
    expect(valuesOf(`x ${text} y`, 'card')).toEqual([]);
  });
});

describe('ssn', () => {
  itEvery([
    ['My SSN is 536-90-4399.', '536-90-4399'],
    ['ssn: 536904399', '536904399'],
    ['Social Security Number 536 90 4399', '536 90 4399'],
    ['899-99-9999', '899-99-9999'],
    ['No.536-90-4399', '536-90-4399'],
  ])('finds the number in %j', (text, value) => {
    expect(valuesOf(text, 'ssn')).toEqual([value]);
  });

  itEvery([
    '000-12-3456',
    '666-12-3456',
    '900-12-3456',
    '987-65-4321',
    '536-00-4399',
    '536-90-0000',
    '078-05-1120',
    '219-09-9999',
    '536904399',
    '536 90 4399',
    '1536-90-4399',
    '536-90-43991',
    '536-90-4399-1',
    '12-536-90-4399',
    '555-1234',
    '2024-01-15',
  ])('finds none in %j', (text) => {
    expect(valuesOf(text, 'ssn')).toEqual([]);
  });
});

describe('ip', () => {
  itEvery([
    ['Request from 203.0.113.7.', '203.0.113.7'],
    ['192.168.0.1:8080', '192.168.0.1'],
    ['10.0.0.0/8', '10.0.0.0'],
    ['[2001:db8::8a2e:370:7334]:443', '2001:db8::8a2e:370:7334'],
    ['IP:2001:0db8:85a3:0000:0000:8a2e:0370:7334', '2001:0db8:85a3:0000:0000:8a2e:0370:7334'],
    ['fe80::1%eth0', 'fe80::1'],
    ['::ffff:192.0.2.128', '::ffff:192.0.2.128'],
    ['1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7:8'],
    ['db:10.1.2.3', '10.1.2.3'],
    ['1:10.1.2.3', '10.1.2.3'],
  ])('finds the address in %j', (text, value) => {
    expect(valuesOf(text, 'ip')).toEqual([value]);
  });

  itEvery([
    'version 1.2.3.4',
    'v1.2.3.4',
    'Version: 10.0.0.1',
    'firmware 2.4.1.9',
    '1.2.3.4.5',
    '1.2.3',
    '256.1.1.1',
    'Windows 10.0.19045.1',
    'Chrome/124.0.6367.91',
    '127.0.0.1',
    '0.0.0.0',
    '255.255.255.0',
    '::1',
    '::',
    '12:30:45',
    '00:1B:44:11:3A:B7',
    'std::vector and a::b::c',
    'x1.2.3.4',
    '1.2.3.4x',
  ])('finds none in %j', (text) => {
    expect(valuesOf(text, 'ip')).toEqual([]);
  });
});

describe('phone', () => {
  itEvery([
    ['Call +1 415-555-2671 now', '+1 415-555-2671'],
    ['+14155552671', '+14155552671'],
    ['(+1) 415 555 2671', '(+1) 415 555 2671'],
    ['+1.415.555.2671', '+1.415.555.2671'],
    ['tel:+442079460958', '+442079460958'],
    ['+44 (0)20 7946 0958', '+44 (0)20 7946 0958'],
    ['0044 20 7946 0958', '0044 20 7946 0958'],
    ['+49 30 901820', '+49 30 901820'],
    ['+33 1 42 68 53 00', '+33 1 42 68 53 00'],
    ['+81 3-1234-5678', '+81 3-1234-5678'],
    ['+55 11 91234-5678', '+55 11 91234-5678'],
    ['+86 138 0013 8000', '+86 138 0013 8000'],
    ['+91 98765 43210', '+91 98765 43210'],
    ['Jane,0044 20 7946 0958', '0044 20 7946 0958'],
    ['+1‑415‑555‑2671', '+1‑415‑555‑2671'],
  ])('finds the international number in %j', (text, value) => {
    expect(valuesOf(text, 'phone')).toEqual([value]);
  });

  itEvery([
    ['US', 'Call (415) 555-2671 please', '(415) 555-2671'],
    ['US', '415-555-2671', '415-555-2671'],
    ['US', 'my cell: 4155552671', '4155552671'],
    ['US', 'Jane,415-555-2671', '415-555-2671'],
    ['GB', '020 7946 0958', '020 7946 0958'],
    ['DE', 'Tel. 030 901820', '030 901820'],
  ] as const)('finds the national number of %s in %j', (defaultCountry, text, value) => {
    expect(valuesOf(text, 'phone', { defaultCountry })).toEqual([value]);
    expect(valuesOf(text, 'phone')).toEqual([]);
  });

  itEvery([
    '+1 555 555 5555',
    '+1 123 456 7890',
    'UTC+0100 2024',
    'build +202401151030',
    '+1415555267100000',
    'price +1,415,555,267',
    '4155552671',
  ])('finds none in %j without a default country', (text) => {
    expect(valuesOf(text, 'phone')).toEqual([]);
  });

  itEvery([
    ['US', 'Order 4155552671'],
    ['US', 'order number: 415-555-2671'],
    ['US', 'Ticket #4155552671'],
    ['US', 'Invoice no. 4155552671'],
    ['US', 'v1.2.3 build 17, 2024-01-15 10:30'],
    ['US', 'unix time 1718000000'],
    ['US', '7c1.163-1.3291 3.5997-2.5475 6.1472-2.5475 7.1994 0 11.1314 5.8703 11.1314 0z'],
    ['US', '123-45-6789'],
    ['DE', '2024-01-15'],
    ['DE', '15.01.2024'],
    ['DE', 'Bestellung 123456789'],
  ] as const)('does not find a national number of %s in %j', (defaultCountry, text) => {
    expect(valuesOf(text, 'phone', { defaultCountry })).toEqual([]);
  });
});

describe('findValues', () => {
  const text =
    'Jane (jane@example.com, +1 415-555-2671) paid with 4111 1111 1111 1111 from 203.0.113.7 to DE89370400440532013000, SSN 536-90-4399.';

  it('finds all kinds in order', () => {
    expect(found(text).map(([kind]) => kind)).toEqual(['email', 'phone', 'card', 'ip', 'iban', 'ssn']);
    expect(countKinds(findValues(`${text} ${text}`))).toEqual({ email: 2, phone: 2, card: 2, ip: 2, iban: 2, ssn: 2 });
  });

  it('finds only the requested kinds', () => {
    for (const kind of personalKinds.filter((one) => one !== 'national-id'))
      expect(found(text, [kind]).map(([each]) => each)).toEqual([kind]);
    expect(found(text, [])).toEqual([]);
  });

  it('finds nothing in text without values', () => {
    expect(found('Order 12345 of 2024-01-15 costs 99.95 and weighs 1.2.3 kg @home')).toEqual([]);
  });
});

const value = fc.constantFrom(
  'jane@example.com',
  '4111 1111 1111 1111',
  '536-90-4399',
  '203.0.113.7',
  '+14155552671',
  ...ibans.slice(0, 5),
);
const filler = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.constantFrom(' ', '@', '.', '-', '1', '0044', '+'),
);
const mixedText = fc.array(fc.oneof(value, filler), { maxLength: 12 }).map((pieces) => pieces.join(''));

describe('properties', () => {
  it('returns sorted, disjoint, non-empty spans within the text', () => {
    fc.assert(
      fc.property(mixedText, (text) => {
        let end = 0;
        for (const span of findValues(text, personalKinds, { defaultCountry: 'US' })) {
          expect(span.start).toBeGreaterThanOrEqual(end);
          expect(span.end).toBeGreaterThan(span.start);
          end = span.end;
        }
        expect(end).toBeLessThanOrEqual(text.length);
      }),
      times(150, 500),
    );
  });

  it('finds a separate value in any text without digits, letters or marks next to it', () => {
    fc.assert(
      fc.property(value, fc.lorem(), fc.lorem(), (each, before, after) => {
        const text = `${before} (${each}) ${after}`;
        expect(found(text).map(([, one]) => one)).toEqual([each]);
      }),
    );
  });
});

/** Each of these takes quadratic time, or worse, in a careless expression. A slow one runs into the time limit. */
const adversarial = [
  'a',
  '@',
  'a@',
  '@a.',
  'a.',
  '1',
  '1 ',
  '1-',
  '1.',
  '1:',
  ':',
  '.',
  '+',
  '+1 ',
  '(1',
  '00',
  '001',
  'AA11',
  'AA11 ',
  'aa11-',
  ' ',
  '123-45-6789-',
  '123-',
  'ssn ',
  '4111 ',
  '4',
];

describe('long adversarial input', () => {
  itEvery(adversarial)('searches 100,000 characters of %j', (piece) => {
    const text = piece.repeat(Math.ceil(100_000 / piece.length));
    expect(findValues(text, personalKinds, { defaultCountry: 'US' }).length).toBeGreaterThanOrEqual(0);
    expect(findValues(`${text}!`, personalKinds).length).toBeGreaterThanOrEqual(0);
  });
});
