import { describe, expect, it } from 'vitest';
import { cutsOf, itEvery } from '../../test-setup.js';
import { flushText, nothingPending, pushText } from '../../stream/hold-back.js';
import { combineFinders } from '../combine-finders.js';
import { findersOf, valueKinds } from '../value-kinds.js';

/** In pieces, so that no secret scanner takes this file for a leak. */
const assembled = (...pieces: string[]): string => pieces.join('');
/** `count` characters of a set, without a pattern. */
const some = (count: number, from = 'aB3dE5fG7hJ9kL1mN0pQ2rS4tU6vW8xY'): string =>
  Array.from({ length: count }, (_, at) => from.charAt((at * 7 + (at >> 2)) % from.length)).join('');
const hex = (count: number): string => some(count, '0a1b2c3d4e5f6789');
const uuid = `${hex(8)}-${hex(4)}-${hex(4)}-${hex(4)}-${hex(12)}`;

const all = combineFinders(findersOf(valueKinds));
const replace = (_value: string, { kind }: { kind: string }) => `[${kind}]`;
const redacted = (text: string): string => flushText({ text, from: 0 }, { pattern: all, replace });
const inPieces = (pieces: readonly string[]): string => {
  let [held, emitted] = [nothingPending, ''];
  for (const piece of pieces) {
    const pushed = pushText(held, piece, { pattern: all, replace });
    held = pushed.held;
    emitted += pushed.released;
  }
  return emitted + flushText(held, { pattern: all, replace });
};

const providers: readonly (readonly [name: string, value: string])[] = [
  ['AWS Bedrock', assembled('ABS', `K${some(120)}=`)],
  ['Azure AD', assembled('aB3', `8Q~${some(34)}`)],
  ['Airtable', assembled('pat', `${some(14)}.${hex(64)}`)],
  ['Alibaba', assembled('LTA', `I5t${some(17)}`)],
  ['Brevo', assembled('xkeys', `ib-${hex(64)}-${some(16)}`)],
  ['Contentful', assembled('CFP', `AT-${some(43)}`)],
  ['crates.io', assembled('ci', `o${some(32)}`)],
  ['Discord bot', assembled('MT', `${some(22)}.GaBc1x.${some(38)}`)],
  ['Docker', assembled('dckr_', `pat_${some(27)}`)],
  ['ElevenLabs', assembled('sk', `_${hex(48)}`)],
  ['Figma', assembled('fig', `d_${some(40)}`)],
  ['Firecrawl', assembled('fc', `-${hex(32)}`)],
  ['Grafana', assembled('gl', `sa_${some(32)}_${hex(8)}`)],
  ['Heroku', assembled('HRK', `U-${some(58)}`)],
  ['Langfuse', assembled('sk-', `lf-${uuid}`)],
  ['Mailchimp', `${hex(32)}-us12`],
  ['Netlify', assembled('nf', `p_${some(36)}`)],
  ['Pinecone', assembled('pcs', `k_${some(6)}_${some(63)}`)],
  ['Plaid', assembled('access-', `sandbox-${uuid}`)],
  ['PlanetScale', assembled('psca', `le_tkn_${some(43)}`)],
  ['Postman', assembled('PMA', `K-${hex(24)}-${hex(34)}`)],
  ['Pulumi', assembled('pu', `l-${hex(40)}`)],
  ['Resend', assembled('r', `e_${some(8)}_${some(24)}`)],
  ['RubyGems', assembled('ruby', `gems_${hex(48)}`)],
  ['Square', assembled('sq0', `atp-${some(22)}`)],
  ['Tailscale', assembled('tsk', `ey-auth-${some(17)}-${some(32)}`)],
  ['Tavily', assembled('tvl', `y-dev-${some(32)}`)],
  ['Terraform', assembled(some(14), `.atlas`, `v1.${some(67)}`)],
  ['Together', assembled('tgp', `_v1_${some(43)}`)],
  ['Typeform', assembled('tf', `p_${some(44)}`)],
  ['1Password', assembled('A3', `-ABC123-DEF456-GHJ78-KLM90-NPQ12-RST34`)],
  ['Azure DevOps', assembled(some(76), `AZ`, `DO${some(4)}`)],
  ['Authress', assembled('sc', `_${some(12).toLowerCase()}.ab12.acc-${some(12).toLowerCase()}.${some(40)}`)],
  ['ClickHouse', assembled('4b', `1d${some(38)}`)],
  ['Facebook', assembled('123456789012345', `|${some(27)}`)],
  ['Fly', assembled('fo', `1_${some(43)}`)],
  ['Grafana', assembled('eyJr', `Ijoi${some(80)}==`)],
  ['Harness', assembled('pa', `t.${some(22)}.${some(24)}.${some(20)}`)],
  ['SendGrid', assembled('S', `G.${some(22)}.${some(43)}`)],
  ['Vault', assembled('s', `.${some(24)}`)],
  ['Buildkite', assembled('bk', `ua_${hex(40)}`)],
  ['CircleCI', assembled('CCI', `PAT_${some(22)}_${hex(40)}`)],
  ['Cloudflare', assembled('cf', `ut_${some(48)}`)],
  ['E2B', assembled('e2', `b_${hex(40)}`)],
  ['Facebook', assembled('EA', `A${some(120)}`)],
  ['GitLab, routable', assembled('gl', `pat-${some(27)}.2e.abc123def`)],
  ['Google', assembled('A', `Q.${some(48)}`)],
  ['Google OAuth', assembled('1/', `/0${some(60)}`)],
  ['HubSpot', assembled('pa', `t-na1-${uuid}`)],
  ['Jina', assembled('ji', `na_${hex(32)}${some(28)}`)],
  ['LaunchDarkly', assembled('sd', `k-${uuid}`)],
  ['Neon', assembled('na', `pi_${hex(64)}`)],
  ['Notion', assembled('sec', `ret_${some(43)}`)],
  ['NVIDIA', assembled('nv', `api-${some(64)}`)],
  ['PostHog', assembled('ph', `x_${some(43)}`)],
  ['Razorpay', assembled('rz', `p_live_${some(14)}`)],
  ['Slack', assembled('xo', `xd-${some(60)}`)],
  ['Sonar', assembled('sq', `u_${hex(40)}`)],
  ['Sourcegraph', assembled('sg', `p_${hex(16)}_${hex(40)}`)],
  ['Supabase', assembled('sb', `_secret_${some(31)}`)],
  ['Weights & Biases', assembled('wan', `db_v1_${some(60)}`)],
  ['bcrypt', assembled('$2', `b$12$${some(53)}`)],
  ['Slack webhook', assembled('hooks.slack', `.com/services/T0${some(8)}/B0${some(8)}/${some(24)}`)],
  ['Discord webhook', assembled('discord', `.com/api/webhooks/123456789012345678/${some(68)}`)],
  ['Teams webhook', assembled('webhook', `.office.com/webhookb2/${uuid}@${uuid}/IncomingWebhook/${hex(32)}/${uuid}`)],
];

describe('tokens and webhooks of providers', () => {
  itEvery(providers)('%s', (_name, value) => {
    expect(redacted(`Use ${value} for it.`)).toBe('Use [api-key] for it.');
    expect(redacted(`a_${value} ok`)).toBe('a_[api-key] ok');
  });

  it('are redacted regardless of chunk boundaries', () => {
    for (const [, value] of providers) {
      const text = `Use ${value} for it.`;
      for (const pieces of [...cutsOf(text), Array.from(text)]) expect(inPieces(pieces)).toBe(redacted(text));
    }
  });

  it('redact a key at the end of a long word', () => {
    const text = `${'a/'.repeat(500)}${assembled('gh', 'p_', some(36))} ok`;
    expect(inPieces(Array.from(text))).toBe(`${'a/'.repeat(500)}[api-key] ok`);
  });
});

const labelled: readonly (readonly [text: string, expected: string])[] = [
  ['password: Tr0ub4dor&3', 'password: [secret]'],
  ['PASSWORD=hunter2', 'PASSWORD=[secret]'],
  ['The password is Tr0ub4dor&3.', 'The password is [secret].'],
  ['{"password":"p4ssw0rd!x"}', '{"password":"[secret]"}'],
  ['{\\"password\\": \\"s3cretValue\\"}', '{\\"password\\": \\"[secret]\\"}'],
  ['**Password:** `Qwerty123!`', '**Password:** `[secret]`'],
  ["token = 'a8f5f167f44f4964'", "token = '[secret]'"],
  ['SECRET_KEY=dj4ng0insecure9x', 'SECRET_KEY=[secret]'],
  ['DB_PASSWORD=S3cure_pw', 'DB_PASSWORD=[secret]'],
  ['DB_PASSWORD_PROD=S3cure_pw', 'DB_PASSWORD_PROD=[secret]'],
  ['CLOUDFLARE_API_TOKEN=v7Xq1mZ0pL2kD9sH', 'CLOUDFLARE_API_TOKEN=[secret]'],
  ['okta token: 00aBcDeFgHiJkLmN1234', 'okta token: [secret]'],
  ['jdbc:mysql://db/x?user=app&password=w0rdpass9&ssl=true', 'jdbc:mysql://db/x?user=app&password=[secret]&ssl=true'],
  ['Server=db;User Id=sa;Password=S3cure#pw;Encrypt=yes', 'Server=db;User Id=sa;Password=[secret];Encrypt=yes'],
  ['Set-Cookie: session=9f8a7c6b5d4e3f2a; Path=/', 'Set-Cookie: session=[secret]; Path=/'],
  ['Passwort: Geh3imnis, bitte', 'Passwort: [secret], bitte'],
  ['Zugangscode: Geh3imnis', 'Zugangscode: [secret]'],
  ['MdP : Geh3imnis', 'MdP : [secret]'],
  ['الرمز السري: Geh3imnis', 'الرمز السري: [secret]'],
  ['كلمة مرور: Geh3imnis', 'كلمة مرور: [secret]'],
  ['كلمة المرور الخاصة بي هي Geh3imnis', 'كلمة المرور الخاصة بي هي [secret]'],
  ['मेरा पासवर्ड है Geh3imnis', 'मेरा पासवर्ड है [secret]'],
  ['पासवर्ड है: Geh3imnis', 'पासवर्ड है: [secret]'],
  ['パスワードはGeh3imnisです', 'パスワードは[secret]です'],
  ['密码是 Geh3imnis', '密码是 [secret]'],
  ['비밀번호: Geh3imnis', '비밀번호: [secret]'],
  ['{"name": "DB_PASSWORD", "value": "Geh3imnis"}', '{"name": "DB_PASSWORD", "value": "[secret]"}'],
  ['- name: DB_PASSWORD\n  value: Geh3imnis\n', '- name: DB_PASSWORD\n  value: [secret]\n'],
  ['contraseña: cl4ve-secreta', 'contraseña: [secret]'],
  ['密码：hunter2', '密码：[secret]'],
  ['<password>abc123xyz</password>', '<password>[secret]</password>'],
  ['curl -u admin:S3cret123 https://x.example', 'curl -u admin:[secret] https://x.example'],
  ['curl --user "jane:S3cret123" x', 'curl --user "jane:[secret]" x'],
  ['postgres://app:pa55w0rd@db/x, http://user:word%20less@h/', 'postgres://[url-credentials]@db/x, http://[url-credentials]@h/'],
  ['postgres://dev:dbos@localhost:5432/x', 'postgres://dev:dbos@localhost:5432/x'],
  ['redis://dev:dbos@127.0.0.1/0 http://a:dbos4@localhost/', 'redis://dev:dbos@127.0.0.1/0 http://[url-credentials]@localhost/'],
  ['http://a:rosebud@localhost.example/', 'http://[url-credentials]@localhost.example/'],
  ['password=&quot;S3cret123&quot; x', 'password=&quot;[secret]&quot; x'],
  ['pa\u200Bssword: hunter2', 'pa\u200Bssword: [secret]'],
];

/** Values that resemble a tag, a footnote, a name or a constant. */
const values = ['!Geheim', 'Geheim*', 'summer24_beach', '!Vault1', '0xdeadbeef01'];

const harmless = [
  'password: string; token: CancellationToken; secret: process.env.SECRET_2',
  'const token = await getToken2(); password = user.password1;',
  '"password": "required", "token": "optional", "js-tokens": "^4.0.0", "jsonwebtoken": "9.0.1-beta.2"',
  'The password: choose one with 12 characters. Is the token: a word or a piece?',
  'PASSWORD=${DB_PASSWORD_1} TOKEN=<your-token-1> password=********** secret: {{ secret1 }}',
  'password = YOUR_PASSWORD_1, token: ACCESS_TOKEN_2, "secret": "your-client-secret-1"',
  'integrity sha512-Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MGFiY2RlZg== resolved "https://registry.example/a-1.2.3.tgz#0a1b2c"',
  'maxTokens: 4096, token count: 1000000, passcode length: 6, tokens=128000',
  'docker run -u 1000:1000 image, git push -u origin:main2, sort -u a:b, <token>string</token>, password -> user2',
  'connectionString: "redis://localhost:6379"',
  'if [[ $PWD = ~/text/writing2 ]], serial=1;token=My%20Client%20Certificate;id=%01',
  "postgres://user:password@localhost/db, 'http://user:pass@proxy.example:3128', mongodb://someuser:somepassword@host/x",
  'DATABASE_URL: postgres://app:${POSTGRES_PASSWORD}@postgres:5432/app, dotenv://:key_1234@x.example',
  assembled('SLACK_BOT_TOKEN=xo', 'xb-your-bot-token, "Authorization: Bearer sk-admin-token-123", API_KEY: "user-123-api-key"'),
  "user: 'app', password: 'secret!', pwd: changeme!!",
  'ansible_password: !vault | and ansible_password=!vault... and DbPassword: !Ref DatabasePassword, password: !secret wifi',
  "'password' => static::$password2 ??= 1, accessToken := &oauth2.Token{, bearer: authConfig.RegistryToken,",
  '"sid": "S-1-5-21-3088887838-4058132883-1884671576-1105", PROC_EVENT_SID = 0x00000080',
  'password: urn:k8s:secret:redis:password, **password**: Optional*. **senha**: Opcional*.',
  'The `signingSecret` is base64-encoded. "object": "clsid:D27CDB6E-AE6D-11cf-96B8-444553540000"',
  'mailgun+https://KEY:DOMAIN@default, allmysms://LOGIN:APIKEY@default, twitter://API_KEY:API_SECRET:ACCESS_TOKEN@default',
  assembled('POSTHOG_API_KEY = "ph', `c_${some(43)}", STRIPE_KEY=pk`, `_live_${some(24)}`),
  assembled('-----BEGIN RSA PRIV', 'ATE KEY-----\n...\nKh9NV...\n...\n-----END RSA PRIV', 'ATE KEY-----'),
];

describe('values labeled as a secret', () => {
  itEvery(labelled)('%j', (text, expected) => expect(redacted(text)).toBe(expected));

  it('are redacted regardless of chunk boundaries', () => {
    for (const [text, expected] of labelled)
      for (const pieces of [...cutsOf(`${text} ok`), Array.from(`${text} ok`)])
        expect(inPieces(pieces), JSON.stringify(pieces)).toBe(`${expected} ok`);
  });

  itEvery(values)('include %j', (value) => expect(redacted(`password: ${value} ok`)).toBe('password: [secret] ok'));

  itEvery(harmless)('do not include %j', (text) => expect(redacted(text)).toBe(text));

  it('include values that look random with entropy: true', () => {
    const text = `The id is ${some(40)}, the commit ${hex(40)}, the word internationalization.`;
    const random = combineFinders(findersOf(['secret'], { entropy: true }));
    expect(redacted(text)).toBe(text);
    expect(flushText({ text, from: 0 }, { pattern: random, replace })).toBe(
      'The id is [secret], the commit [secret], the word internationalization.',
    );
    let [held, emitted] = [nothingPending, ''];
    for (const piece of text) {
      const pushed = pushText(held, piece, { pattern: random, replace });
      held = pushed.held;
      emitted += pushed.released;
    }
    expect(emitted + flushText(held, { pattern: random, replace })).toBe(
      flushText({ text, from: 0 }, { pattern: random, replace }),
    );
  });
});

/** Disguised forms of a value that a person or a program can still read. */
const disguised: readonly (readonly [text: string, expected: string])[] = [
  ['card 4539 1488\n0343 6467 ok', 'card [card] ok'],
  ['card4539148803436467 ok', 'card[card] ok'],
  ['4539_1488_0343_6467 ok', '[card] ok'],
  ['4539/1488/0343/6467 ok', '[card] ok'],
  ['DE89  3704 0044 0532\n0130 00 ok', '[iban] ok'],
  ['mara\\.quill\\@example\\.com ok', '[email] ok'],
  ['mara.quill\\x40example.com ok', '[email] ok'],
  ['mara.quill&#64example.com ok', '[email] ok'],
  ['mara.quill&#x40 example.com ok', 'mara.quill&#x40 example.com ok'],
  ['mara.quill\\u{40}example.com ok', '[email] ok'],
  ['ma\0ra.quill@exa\bmple.com ok', '[email] ok'],
  ['\u001B[31mmara\u001B[0m.quill@example.com ok', '\u001B[31m[email] ok'],
  ['mara.quill\u2800@example.com ok', '[email] ok'],
  ['a&Tab;b mara.quill&commat;example.com ok', 'a&Tab;b [email] ok'],
  ['4\uFE0F\u20E35\uFE0F\u20E33\u20E39 1488 0343 6467 ok', '[card] ok'],
  ['m\u0332a\u0332r\u0332a\u0332@example.com ok', '[email] ok'],
];

describe('disguises', () => {
  itEvery(disguised)('%j', (text, expected) => {
    expect(redacted(text)).toBe(expected);
    for (const pieces of [...cutsOf(text), Array.from(text)]) expect(inPieces(pieces), JSON.stringify(pieces)).toBe(expected);
  });

  it('do not include the lines of a table as a card', () => {
    const text = '4539\n1488\n0343\n6467\n';
    expect(redacted(text)).toBe(text);
  });
});
