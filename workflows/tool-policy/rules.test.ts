import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { itEvery } from '../test-setup.js';
import { faultIn, hasUnlisted, pathRule, urlRule } from './argument-rules.js';
import { analyses } from './test-setup.js';
import { sqlRule } from './sql-rule.js';

const privateV4: readonly (readonly [number, number, number, number])[] = [
  [127, 0, 0, 1],
  [10, 1, 2, 3],
  [172, 16, 0, 1],
  [192, 168, 1, 1],
  [169, 254, 169, 254],
  [100, 64, 0, 1],
  [100, 100, 100, 200],
  [0, 0, 0, 0],
  [224, 0, 0, 1],
  [168, 63, 129, 16],
  [198, 18, 0, 1],
  [255, 255, 255, 255],
];

/** All spellings that a C resolver or a browser reads as the same address. */
const spellings = ([a, b, c, d]: readonly [number, number, number, number]): string[] => {
  const whole = ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
  const [hex, low] = [whole.toString(16).padStart(8, '0'), ((c << 8) | d) >>> 0];
  const mapped = `${hex.slice(0, 4)}:${hex.slice(4)}`;
  return [
    `${a}.${b}.${c}.${d}`,
    `${whole}`,
    `0x${hex}`,
    `0${whole.toString(8)}`,
    `0x${a.toString(16)}.0x${b.toString(16)}.0x${c.toString(16)}.0x${d.toString(16)}`,
    `0${a.toString(8)}.0${b.toString(8)}.0${c.toString(8)}.0${d.toString(8)}`,
    `${a}.${b}.${low}`,
    `${a}.${(b << 16) | low}`,
    `${a}.${b}.${c}.${d}.`,
    `[::ffff:${a}.${b}.${c}.${d}]`,
    `[::ffff:${mapped}]`,
    `[::${mapped}]`,
    `[64:ff9b::${mapped}]`,
    `[2002:${mapped}::1]`,
    `${a}。${b}。${c}。${d}`,
    Array.from(`${a}.${b}.${c}.${d}`, (sign) => (sign === '.' ? '.' : String.fromCodePoint(0xff10 + Number(sign)))).join(''),
    `%3${String(a)[0]}${String(a).slice(1)}.${b}.${c}.${d}`,
  ];
};

const rejects = async (rule: ReturnType<typeof urlRule>, value: unknown) =>
  expect(await rule(value), String(value)).toEqual(expect.any(String));
const passes = async (rule: ReturnType<typeof urlRule>, value: unknown) =>
  expect(await rule(value), String(value)).toBeUndefined();

describe('urlRule', () => {
  itEvery(privateV4.map((address) => [address] as const))('rejects every spelling of %s', async (address) => {
    for (const host of spellings(address))
      for (const url of [`https://${host}/`, `https://${host}:8080/x`, `https://${host}`]) await rejects(urlRule(), url);
  });

  it('rejects random private IPv4 addresses in every spelling', async () => {
    const byte = fc.integer({ min: 0, max: 255 });
    const nets = fc.oneof(
      fc.tuple(fc.constant(10), byte, byte, byte),
      fc.tuple(fc.constant(127), byte, byte, byte),
      fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), byte, byte),
      fc.tuple(fc.constant(192), fc.constant(168), byte, byte),
      fc.tuple(fc.constant(169), fc.constant(254), byte, byte),
    );
    await fc.assert(
      fc.asyncProperty(nets, async (address) => {
        for (const host of spellings(address)) await rejects(urlRule(), `https://${host}/`);
      }),
      { numRuns: 100 },
    );
  });

  itEvery([
    'http://example.com/',
    'file:///etc/passwd',
    'gopher://example.com/',
    'https:example.com',
    'https:///example.com',
    'https:\\\\example.com\\x',
    'https://example.com\\@10.0.0.1/',
    'https://10.0.0.1\\@example.com/',
    'https://user@example.com/',
    'https://example.com@10.0.0.1/',
    'https://example.com:443@10.0.0.1/',
    ' https://example.com/',
    'https://example.com/\n',
    'https://exa\tmple.com/',
    'https://ex\u0430mple.com/',
    'https://exam\u00ADple.com/',
    'https://ⓔxample.com/',
    'https://%65xample.com/',
    'https://localhost/',
    'https://LOCALHOST/',
    'https://a.localhost/',
    'https://localhost./',
    'https://metadata.google.internal/computeMetadata/v1/',
    'https://metadata/',
    'https://kubernetes.default.svc/',
    'https://printer.local/',
    'https://[::1]/',
    'https://[::]/',
    'https://[fe80::1]/',
    'https://[fd00:ec2::254]/',
    'https://[ff02::1]/',
    'https://0/',
    'https://example.com#@10.0.0.1/',
    'https://example.com?@10.0.0.1/',
    'https://10.0.0.1.nip.io/',
    'https://localtest.me/',
    'https://metadata.goog/',
    'https://db.service.consul/',
    'https://1.0.0.127.in-addr.arpa/',
    'https://127.1/',
    'https://256.1.1.1/',
    '//example.com/x',
    'example.com',
    '',
    'https://',
    7,
    null,
    {},
    `https://example.com/${'a'.repeat(3000)}`,
  ] as readonly object[])('rejects %s', (value) => rejects(urlRule(), value));

  itEvery([
    'https://example.com/',
    'https://Example.com/a?b=c#d',
    'https://example.com:443/',
    'https://8.8.8.8/',
    'https://[2606:4700::1111]/',
  ])('passes %s', (value) => passes(urlRule(), value));

  it('accepts configured hosts and schemes', async () => {
    const rule = urlRule({ hosts: ['example.com', '*.example.org', '10.0.0.1:8080'], schemes: ['https', 'http'], private: true });
    for (const url of ['https://example.com/', 'http://a.b.example.org/', 'http://10.0.0.1:8080/']) await passes(rule, url);
    for (const url of [
      'https://evil.com/',
      'https://example.org/',
      'https://evilexample.org/',
      'http://10.0.0.1/',
      'http://example.com.evil.com/',
    ])
      await rejects(rule, url);
    expect(() => urlRule({ hosts: ['a/b'] })).toThrow(expect.objectContaining({ code: 'guard/invalid-option' }) as Error);
  });

  it('rejects a name if one of its resolved addresses is not public', async () => {
    const to = (...addresses: string[]) => urlRule({ resolve: async () => addresses });
    await passes(to('93.184.216.34'), 'https://rebind.example/');
    for (const address of ['10.0.0.1', '::1', '::ffff:127.0.0.1', '169.254.169.254', 'nonsense'])
      await rejects(to('93.184.216.34', address), 'https://rebind.example/');
    await rejects(to(), 'https://rebind.example/');
    const broken = urlRule({ resolve: () => Promise.reject(new Error('no network')) });
    await expect(broken('https://rebind.example/')).rejects.toThrow('no network');
  });
});

describe('pathRule', () => {
  const rule = pathRule({ roots: ['/srv/data', '.'] });

  itEvery([
    '../x',
    'a/../../x',
    '/srv/data/../secret',
    '/srv/database/x',
    '/etc/passwd',
    '//srv/data/x',
    'a/..',
    '..',
    '.../x',
    '..%2fx',
    '%2e%2e/x',
    '%252e%252e/x',
    'a%00.md',
    'a\0.md',
    '..\\x',
    'a\\..\\x',
    'C:\\x',
    'C:x',
    '\\\\server\\share',
    'file:///etc/passwd',
    '~/x',
    '~root/x',
    '．．/x',
    '‥/x',
    'a∕..∕x',
    'a／x',
    '.env',
    'a/.ssh/id',
    '.git/config',
    'a/con',
    'NUL.txt',
    'a/x. ',
    'a/.. /x',
    'x::$DATA',
    '-rf',
    'con .txt',
    'CLOCK$',
    'ENV~1',
    'a/SSH~1/id',
    'a\u2028b',
    'a\u200B/x',
    'a*',
    '',
    7,
    ['..'],
    'a'.repeat(2000),
  ] as readonly object[])('rejects %s', (value) => rejects(rule, Array.isArray(value) ? value[0] : value));

  itEvery([
    'a.md',
    'a/b.md',
    './a.md',
    '/srv/data/x.md',
    '/srv/data',
    'naïve/été.md',
    'a b/c-d_e (1).md',
    'a/console.md',
    'notes~.md',
  ])('passes %s', (value) => passes(rule, value));

  it('rejects every spelling of parent directories', async () => {
    const dots = fc.constantFrom('..', '%2e%2e', '%2E.', '．．', '..%00', '.. ', '..\\', '%252e%252e', '..;', '‥');
    const slash = fc.constantFrom('/', '//', '/./', '%2f', '\\', '%5c', '∕', '／');
    const path = fc.array(fc.tuple(fc.oneof(dots, fc.constantFrom('a', 'b.c')), slash), { minLength: 1, maxLength: 5 });
    const plain = pathRule();
    await fc.assert(
      fc.asyncProperty(path, async (parts) => {
        const value = `${parts.flat().join('')}x`;
        if ((await plain(value)) !== undefined) return;
        expect(
          parts.flat().every((part) => ['a', 'b.c', '/', '//', '/./', '..;'].includes(part)),
          value,
        ).toBe(true);
      }),
    );
  });

  it('accepts endings and relative roots', async () => {
    expect.hasAssertions();
    const docs = pathRule({ roots: ['docs'], endings: ['.md'] });
    await passes(docs, 'docs/a.md');
    for (const value of ['docs/a.ts', 'src/a.md', 'docsx/a.md', '/docs/a.md']) await rejects(docs, value);
    await passes(pathRule({ hidden: true }), '.env');
  });
});

describe('sqlRule', () => {
  const rule = sqlRule({ tables: ['orders', 'shop.customers'] });

  itEvery([
    'DELETE FROM orders',
    'SELECT 1; DROP TABLE orders',
    'SELECT * FROM orders; SELECT * FROM orders',
    'SELECT * FROM users',
    'SELECT * FROM orders, users',
    'SELECT * FROM orders o, (SELECT * FROM users) u',
    'SELECT * FROM orders JOIN users ON true',
    'SELECT * FROM orders WHERE id IN (SELECT id FROM users)',
    'SELECT (SELECT password FROM users LIMIT 1) FROM orders',
    'SELECT * FROM orders UNION SELECT * FROM users',
    'WITH x AS (DELETE FROM orders RETURNING *) SELECT * FROM x',
    'WITH users AS (SELECT * FROM users) SELECT * FROM users',
    'WITH x AS (WITH users AS (SELECT 1) SELECT 1) SELECT * FROM users',
    'SELECT * INTO copied FROM orders',
    'SELECT * FROM orders FOR UPDATE',
    "SELECT * FROM orders INTO OUTFILE '/tmp/x'",
    "SELECT pg_read_file('/etc/passwd')",
    "SELECT lo_import('/etc/passwd') FROM orders",
    'SELECT pg_sleep(10) FROM orders',
    'SELECT * FROM generate_series(1, 1000000000)',
    "SELECT * FROM dblink('host=evil', 'select 1')",
    'SELECT "pg_sleep"(10) FROM orders',
    'SELECT * FROM orders --x',
    'SELECT * FROM orders -- x\r WHERE\n, users',
    'SELECT * FROM orders #> WHERE\n, users',
    'SELECT * FROM orders /*+ SET_VAR(x = 1) */',
    'SELECT * FROM orders /* a /* b */ , users */',
    'SELECT * FROM orders WHERE a = `b or a in (select x from users) --`',
    'SELECT a, pg_sleep(10) as (x) FROM orders',
    'WITH RECURSIVE x AS (SELECT * FROM users), users AS (SELECT 1) SELECT * FROM x',
    'SELECT 1 IF 1=0 SELECT 2 ELSE SHUTDOWN',
    'SELECT 1 EXEC xp_cmdshell',
    'SELECT 1 AS show EXEC xp_cmdshell',
    'SELECT 1 WHILE 1 = 1 SELECT 1',
    'SELECT * FROM orders WHERE id IN (TABLE users)',
    'SELECT * FROM orders UNION TABLE users',
    'SELECT @@version',
    'SELECT @x := 1 FROM orders',
    'SELECT * FROM "shop.customers"',
    "SELECT set_config('a', 'b', false)",
    'SELECT position(id IN (SELECT id FROM users))',
    'SELECT * FROM orders /*!50000 , users */',
    'SELECT * FROM orders # x',
    "SELECT * FROM orders WHERE a = 'x\\' OR 1=1 --'",
    "SELECT E'\\'' FROM orders",
    "SELECT N'\\'' FROM users --'",
    "SELECT xN'a' FROM orders",
    "SELECT U&'x' FROM orders",
    'SELECT $$x$$ FROM orders',
    'SELECT * FROM "us\u0065rs"',
    'SELECT * FROM `users`',
    'SELECT * FROM public.orders',
    'SELECT * FROM shop.customers.x',
    'TABLE users',
    'EXPLAIN ANALYZE DELETE FROM orders',
    'COPY orders TO STDOUT',
    'SET ROLE admin',
    "CALL x('1')",
    'DO $$ BEGIN END $$',
    "ATTACH DATABASE '/x' AS y",
    'PRAGMA table_info(x)',
    'VALUES (1); DELETE FROM orders',
    'select\u00A0* from orders',
    'SELECT * FROM ordеrs',
    'SELECT * FROM orders a JOIN orders b ON a.id = b.id, users u',
    'SELECT * FROM orders a LEFT JOIN orders b USING (id), users',
    ...['left', 'full', 'offset', 'window', 'limit', 'group', 'order', 'using', 'qualify', 'fetch'].flatMap((alias) => [
      `SELECT * FROM orders AS ${alias}, users`,
      `SELECT * FROM orders ${alias}, users`,
    ]),
    'SELECT * FROM orders AS where, users',
    'SELECT * FROM orders LIMIT 1, users',
    'SELECT * FROM orders STRAIGHT_JOIN users',
    'SELECT * FROM orders CROSS APPLY users',
    'SELECT * FROM orders WHERE id IN users',
    'SELECT * FROM orders WHERE id NOT IN main.users',
    'SELECT 1e0FROM users',
    'SELECT * FROM orders SELECT * FROM users',
    "SELECT * FROM orders WAITFOR DELAY '0:0:9'",
    'SELECT orders_id.nextval FROM orders',
    'WITH "Users" AS (SELECT 1) SELECT * FROM users',
    'WITH "users" AS (SELECT 1) SELECT * FROM users',
    'WITH users AS (SELECT 1) SELECT * FROM "users"',
    'WITH users AS (SELECT 1) SELECT * FROM users.secret',
    'SELECT trim((SELECT password FROM users)) FROM orders',
    'SELECT extract(SELECT password FROM users) FROM orders',
    'SELECT evil.lower(id) FROM orders',
    'SELECT 1) FROM users',
    "SELECT rpad('a', 1000000000)",
    "SELECT lpad('a', 1e9, 'b')",
    `SELECT "rpad"('a', 1000000000)`,
    "SELECT rpad('a', 9999 * 9999)",
    "SELECT rpad('a', (SELECT max(id) FROM orders))",
    "SELECT lpad('a', '1000000000')",
    "SELECT lpad('a', $1)",
    "SELECT format('%1000000000s', 'a')",
    "SELECT format('%' || id || 's', 'a') FROM orders",
    "SELECT repeat('a', 1000000000)",
    "SELECT * FROM pg_read_file('/etc/passwd')",
    "SELECT * FROM json_each('[1]'), users",
    'SELECT * FROM orders, users(1)',
    '',
    7,
    'x'.repeat(9000),
  ] as readonly unknown[] as readonly object[])('rejects %s', (value) => rejects(rule, value));

  itEvery([
    "SELECT md5(name), hex(id), N'O''Neil', unnest(tags), regr_slope(a, b) FROM orders WHERE name = N'x' ORDER BY rand()",
    'SELECT TOP (10) stuff(name, 1, 1, id) FROM orders',
    'SELECT * FROM orders',
    "select count(*), max(o.total) from orders o where o.id = 7 and name like 'O''Neil%' order by 1 limit 10;",
    'SELECT o.id FROM orders AS o LEFT JOIN shop.customers c ON c.id = o.customer WHERE o.total > 10.5 GROUP BY o.id HAVING sum(o.total) > 3',
    'WITH big AS (SELECT * FROM orders WHERE total > 100) SELECT * FROM big, shop.customers',
    "SELECT 'delete; drop' FROM orders",
    'SELECT * FROM (SELECT id FROM orders) x WHERE id IN (1, 2)',
    'SELECT extract(year FROM created), substring(name FROM 2), total * 1.5e3 FROM orders GROUP BY 1, 2 ORDER BY 1, 2',
    'SELECT * FROM orders WHERE a IS NOT DISTINCT FROM b',
    'SELECT a, b FROM orders WHERE a > 1 UNION SELECT c, d FROM shop.customers',
    'WITH "Big" AS (SELECT 1) SELECT * FROM "Big"',
    "SELECT rpad(name, 20, '.'), lpad((a + b)::text, 8), format(created, 'yyyy-MM'), format(total, 2), format FROM orders",
    "SELECT t.value FROM orders o CROSS JOIN LATERAL jsonb_array_elements_text(o.tags) AS t(value), json_each('[1]') j",
    "SELECT * FROM orders TABLESAMPLE SYSTEM (10) WHERE to_tsvector('english', name) @@ plainto_tsquery('x')",
  ])('passes %s', (value) => passes(rule, value));

  it('passes the queries that models write for analyses', async () => {
    const rejected: string[] = [];
    for (const query of analyses) {
      const fault = await sqlRule()(query);
      if (fault) rejected.push(`${query}: ${fault}`);
    }
    expect(analyses.length).toBeGreaterThan(90);
    expect(rejected).toEqual([]);
  });

  itEvery<[string, string]>([
    ['SELECT pg_sleep(10)', 'must not call pg_sleep'],
    ['SELECT * FROM users', 'must not read users, only orders, shop.customers'],
    ['DELETE FROM orders', 'must be a query that begins with select, with or values'],
    ['SELECT * FROM orders FOR UPDATE', 'must only read, without for'],
    ['WITH x AS (DELETE FROM orders RETURNING *) SELECT * FROM x', 'must only read, without delete'],
    ["SELECT rpad('a', 10000)", 'must call rpad with a length of at most four digits'],
    ['SELECT $$x$$ FROM orders', 'must be a plain query, without $'],
  ])('names the word in %s', async (query, fault) => {
    expect(await rule(query)).toBe(fault);
  });

  it('uses a configured parser', async () => {
    expect.hasAssertions();
    const facts = { statements: 1, readOnly: true, tables: ['orders'], functions: [] };
    await passes(sqlRule({ parse: async () => facts }), 'whatever');
    for (const other of [{ statements: 2 }, { readOnly: false }, { tables: ['users'] }, { functions: ['pg_sleep'] }])
      await rejects(sqlRule({ tables: ['orders'], parse: () => ({ ...facts, ...other }) }), 'whatever');
    await rejects(sqlRule({ parse: () => undefined }), 'whatever');
  });
});

describe('faultIn', () => {
  const args = { a: [{ url: 'x' }, { url: ['y', ['z']] }], b: { c: { url: 'w' } }, 'd.e': 'v', f: null, g: [], h: 'text' };
  /** The values that a rule gets, or the fault. */
  const read = async (path: string): Promise<unknown> => {
    const values: unknown[] = [];
    return (await faultIn(args, { [path]: (value) => void values.push(value) })) ?? values;
  };

  it.each<[string, unknown[]]>([
    ['a.url', ['x', 'y', 'z']],
    ['a.*.url', ['x', 'y', 'z']],
    ['a.0.url', ['x']],
    ['b.*.url', ['w']],
    ['d.e', ['v']],
    ['f', [null]],
    ['f.url', []],
    ['g.*.url', []],
    ['b.none', []],
    ['none.url', []],
    ['constructor.name', []],
  ])('finds the values at %s', async (path, values) => {
    expect(await read(path)).toEqual(values);
  });

  it.each(['h.url', 'h.*', 'a.url.more', 'b.c.URL', 'A', 'D.e', 'b.c.url.x'])(
    'denies an argument in which %s leads nowhere',
    async (path) => {
      expect(await read(path)).toBe(`${path} must be a value at this path`);
    },
  );
});

describe('hasUnlisted', () => {
  const has = (args: unknown, ...paths: string[]): boolean =>
    hasUnlisted(
      args,
      paths.map((path) => path.split('.')),
    );

  it('finds arguments without a rule', () => {
    expect(has({ url: 'x' }, 'url')).toBe(false);
    expect(has({ url: 'x', uri: 'y' }, 'url')).toBe(true);
    expect(has({ filter: { path: 'a', more: { b: 1 } } }, 'filter')).toBe(false);
    expect(has({ filter: { path: 'a', more: 1 } }, 'filter.path')).toBe(true);
    expect(has({ items: [{ url: 'x' }] }, 'items.*.url')).toBe(false);
    expect(has({ items: [{ url: 'x' }] }, 'items.url')).toBe(false);
    expect(has({ items: [{ url: 'x', uri: 'y' }] }, 'items.url')).toBe(true);
    expect(has({ items: [] }, 'items.*.url')).toBe(false);
    expect(has({ 'a.b': 'x' }, 'a.b')).toBe(false);
    expect(has({ target: null }, 'target.url')).toBe(false);
    expect(has({ target: null }, 'url')).toBe(true);
    expect(has({})).toBe(false);
  });
});

describe('the options of rules', () => {
  it.each<[string, () => unknown, string]>([
    ['a misspelt name', () => urlRule({ host: ['example.com'] } as object), 'urlRule.host'],
    ['a text instead of a list', () => urlRule({ hosts: 'example.com' as never }), 'urlRule.hosts'],
    ['a limit that is no number', () => urlRule({ maxChars: Number.NaN }), 'urlRule.maxChars'],
    ['no object', () => urlRule(null as never), 'urlRule'],
    ['a misspelt name', () => pathRule({ root: ['/srv'] } as object), 'pathRule.root'],
    ['a limit that is no number', () => pathRule({ maxChars: '9' as never }), 'pathRule.maxChars'],
    ['a misspelt name', () => sqlRule({ table: ['orders'] } as object), 'sqlRule.table'],
    ['an entry that is no text', () => sqlRule({ tables: [7 as never] }), 'sqlRule.tables.0'],
  ])('are rejected by name: %s (%#)', (_fault, build, path) => {
    expect(build).toThrow(expect.objectContaining({ path, code: expect.stringMatching(/^guard\/(unknown|invalid)-option$/) }));
  });
});
