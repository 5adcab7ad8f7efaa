import type { ValueKind } from '../patterns/value-kinds.js';

/** One value of each kind, as short as possible, with its required context. */
export const samples: Record<ValueKind, { value: string; before?: string; after?: string }> = {
  pem: { value: '-----BEGIN A KEY-----Zm9vYmFy-----END A KEY-----' },
  'url-credentials': { value: 'ada:s3cr3t', before: 'ftp://', after: '@host' },
  jwt: { value: 'eyJhbGciOiIifQ.e30.c2ln' },
  'api-key': { value: `ghp_${'aB3d'.repeat(5)}` },
  bearer: { value: 'mF_9.B5f-4.1JqM', before: 'Bearer ' },
  secret: { value: 'Tr0ub4dor&3', before: 'Password: ' },
  email: { value: 'jane@example.com' },
  iban: { value: 'NO9386011117947' },
  card: { value: '30569309025904' },
  ssn: { value: '536-90-4399' },
  'national-id': { value: '756.9217.0769.85' },
  ip: { value: '203.0.113.7' },
  mac: { value: '00:1B:44:11:3A:B7' },
  phone: { value: '+14155552671' },
};

/** The value of a kind in its context. */
export const textOf = (kind: ValueKind): string => {
  const { value, before = '', after = '' } = samples[kind];
  return `It: ${before}${value}${after} ok`;
};
