import { describe, expect, it } from 'vitest';
import { cutsOf } from '../test-setup.js';
import { flushText, nothingPending, pushText } from '../stream/hold-back.js';
import { combineFinders } from '../patterns/combine-finders.js';
import { findersOf, valueKinds } from '../patterns/value-kinds.js';

const pattern = combineFinders(findersOf(valueKinds, { defaultCountry: 'US', countries: ['BE', 'DE', 'IN', 'SE'] }));
const replace = (_value: string, { kind }: { kind: string }) => `[${kind}]`;
const redacted = (pieces: readonly string[]): string => {
  let [held, emitted] = [nothingPending, ''];
  for (const piece of pieces) {
    const pushed = pushText(held, piece, { pattern, replace });
    held = pushed.held;
    emitted += pushed.released;
  }
  return emitted + flushText(held, { pattern, replace });
};

/** Values that users and tools label in these ways, in braces. */
const labelled: readonly string[] = [
  'Das Passwort lautet {secret:Hunter2!x9}',
  'Kennwort für den Zugang: {secret:Hunter2!x9}',
  'The password for the database is {secret:Hunter2!x9}.',
  'le mot de passe du compte est {secret:Hunter2!x9}',
  'La contraseña es {secret:Hunter2!x9}',
  'clave: {secret:Hunter2!x9}',
  'pw: {secret:Hunter2!x9}',
  'كلمة السر هي {secret:Hunter2!x9}',
  'كلمة المرور: {secret:Hunter2!x9}',
  'पासवर्ड {secret:Hunter2!x9} है',
  'mysql --password {secret:Hunter2!x9} shop',
  'mysql -u root -p{secret:Hunter2!x9} shop',
  '| user | password |\n| --- | --- |\n| jane | {secret:Hunter2!x9} |\n| bob | `{secret:Sommer2024!}` |\n\n| a | Hunter2!x9 |',
  'user,password\njane,{secret:Hunter2!x9}\n"bob, jr",{secret:Sommer2024!}\n\nx,Hunter2!x9',
  'user;Passwort;age\njane;"{secret:Hunter2!x9}";7\n',
  'name\tapi_key\na\t{secret:a8f5f167f44f4964}\n',
  'Users:\nid,db_password\n1,{secret:Hunter2!x9}',
  'Phone: {phone:555-123-4567}',
  'my number is {phone:(555) 123-4567}',
  'personnummer {national-id:19811218-9876}',
  'aadhaar number {national-id:234123412346}',
  'Meine Steuer-ID lautet {national-id:86 095 742 719}',
  'Rijksregisternummer {national-id:85073003328}',
];

/** Texts without values. */
const honest: readonly string[] = [
  '31.95376472,-89.23450472',
  '2147483647 and "total": 2025550123',
  '1.13.5 / 03.06.2026, inode 7695568592',
  'M10.5 20.5c1.234 5.678 9.1011 12.1314',
  'Mozilla/5.0 Chrome/136.0.0.0 Safari/537.36',
  "| token | use |\n| --- | --- |\n| set to 'x1' or '0' | y |",
  'exports.MD5Password = AuthenticationMD5Password;',
  'progressToken: ProgressTokenSchema$1',
  'const has = clientInformation.client_secret !== void 0;',
  'patch V8 to 13.6.233.17, zlib to 1.3.2.1-motley-42c2f19',
  'libfoo (1.2.5.1-2) unstable; section `8.2.4.44`',
  '2002-07-20,2654100000\n2002-07-21,2654100000\n2002-07-22,2654100000\n',
  '7,41111111\n11111111,8',
  'DB_PASSWORD=\nAPP_PORT=8080',
  'password:\nHunter2!x9',
  'ssh deploy@prod.example.com',
  '| password | string1 | the password of the user |',
  '| option | password | token |\n| --- | --- | --- |\n| get | required | optional |',
  'name,password_required\nfoo,true1\nbar,false',
  'user,password\njane\n1,Hunter2!x9',
  'Tokens: identifier, keyword\nidentifier, a1b2c3d4e5f6',
  '![codecov](https://codecov.io/gh/x/y/branch/main/graph/badge.svg?token=lWZ9OBQ7GM)',
  'function pbkdf2(password: Uint8Array, salt: Uint8Array)',
  '| Token | bits |\n| --- | --- |\n| `Float16_BE` | 16 |\n| `Int64_LE` | 64 |',
  '<a href="diameter.html#session_id-1">session_id/1</a>',
  'FSDiscriminatorPass P = FSDiscriminatorPass::Pass1;',
  '-----BEGIN CERTIFICATE-----\nMIIC7jCCAlegAwIBAgIBATANBgkqhkiG9w0BAQQFADCB\n-----END CERTIFICATE-----',
  '-----BEGIN RSA PUBLIC KEY-----\nMIIC7jCCAlegAwIBAgIBATANBgkqhkiG9w0BAQQFADCB\n-----END RSA PUBLIC KEY-----',
  'new URL("https://abc:xyz@example.com") and https://a:b@xn--g6w251d/',
  "auth: { apiKey: 'base64EncodedKey' }, SessionID = SessionID0, blkid --match-token LABEL= /dev/sda",
  'https://files.example.com/logo.png?alt=media&token=2fcd0528-e8bb-4bdd-af35-9d20e313d1a8',
  '"en-PW": "modern",\n"es": "moderate",\n"es-419": "modern",\n',
  'Files\n6.2.4.1. The files\n6.2.4.2 Names\n.. _s6.5.3.1.1:',
  '0,1466.33299214604,1049.87\n    4044404959645932768,\n',
  'a-.208-.349c-.005-.375.042-.573-.01',
  'Thus <http://fred:fredpassword@example.com:8080/> and uri://foo:bar@example.com',
];

const plain = (text: string): string => text.replaceAll(/\{[a-z-]+:([^}]*)\}/g, '$1');
const expected = (text: string): string => text.replaceAll(/\{([a-z-]+):[^}]*\}/g, '[$1]');

describe('the redactor on reported texts', () => {
  it('finds labeled values, however the text is split', () => {
    const wrong = labelled.filter((text) =>
      [[plain(text)], ...cutsOf(plain(text)), Array.from(plain(text))].some((pieces) => redacted(pieces) !== expected(text)),
    );
    expect(wrong).toEqual([]);
  });

  it('changes no text without a value, however it is split', () => {
    const wrong = honest.filter((text) => [[text], Array.from(text)].some((pieces) => redacted(pieces) !== text));
    expect(wrong).toEqual([]);
  });

  it('reads a long table in linear time, and finds its last value', () => {
    const rows = Array.from({ length: 40_000 }, (_, at) => `user${at},note ${at}`);
    const text = `${['user,password', ...rows].join('\n')}\nlast,Hunter2!x9`;
    expect(redacted([text]).endsWith('\nlast,[secret]')).toBe(true);
    const pieces = text.match(/[^]{1,4000}/g) ?? [];
    expect(redacted(pieces)).toBe(redacted([text]));
  });
});
