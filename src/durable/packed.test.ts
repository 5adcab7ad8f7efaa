import { expect, it } from 'vitest';

import { pack, packBytes, packText, unpack, unpackBytes, unpackText } from './packed.js';

const long = JSON.stringify(Array.from({ length: 100 }, (_, stepNumber) => ({ type: 'step-finish', stepNumber, text: '😀' })));

it.each(['', 'short', '😀'.repeat(255), long])('a stored text is the same text again (%#)', (text) => {
  const bytes = Buffer.from(packBytes(text));
  expect([unpack(pack(text) as string, 'run'), unpackText(packText(text), 'run'), unpackBytes(bytes, 'run')]).toEqual([
    text,
    text,
    text,
  ]);
});

it('stores a long text in a quarter of its length, and a short one as it is', () => {
  expect((pack(long) as Uint8Array<ArrayBuffer>).length).toBeLessThan(long.length / 4);
  expect(packText(long).length).toBeLessThan(long.length / 3);
  expect([pack('short'), packText('short')]).toEqual(['short', 'short']);
});

it('reads texts of earlier versions, with and without the names', () => {
  const step = JSON.stringify(Array.from({ length: 30 }, (_, seq) => ({ runId: 'run', seq, toolCallId: `call-${seq}` })));
  expect(
    unpackText(
      'deflate ddM9CgJBEAXhu0xssO/t/1nEk8jeXRQNhKpokoKm+abvz9+U9zu+o6f/rcbnB0/jumEdqmN1qa7VM9Wz1QvVi9Ur1avVG9Wb1TvVu9UH1YfVJ9Wn6iBmXJM51TMIGhUNkkZNg6hR1SBr1DUIG5UN0kZtg7hR3SBv1LfoW/Ut+tbvlQ9WfYu+Vd+ib9W36Fv1LfpWfYu+Vd+ib9W36NtzXI8X',
      'run',
    ),
  ).toBe(step);
  expect(
    unpackText(
      'deflate ddOrDsJQFETRf7m6JMy0pQ+L4hsIggDuhoaXIvw7Ab1HHXG2W5n9u9xf1925zL9bmvK43Mq8bspzWer2WOv/dTrWulqXT4O1qFaqTbVT3VLdprqjukt1T3Wf6g3Vm1QPVA+pHqkeUz1RPUUdxFTWZM7oKQRVFBWSKpoKURVVhayKrkJYRVkhraKtEFdRV8ir6Gv0dfQ1+jrvlQcbfY2+jr5GX0dfo6+jr9HX0dfo6+hr9HX0Nfp6Kp/DFw==',
      'run',
    ),
  ).toBe(step);
});

it('a damaged text is durable/damaged, with its place', () => {
  const damaged = (pack(long) as Uint8Array<ArrayBuffer>).subarray(0, 40);
  const error = expect.objectContaining({ code: 'durable/damaged', path: 'run entry 2' });
  expect(() => unpack(damaged, 'run entry 2')).toThrow(error);
  expect(() => unpackText(packText(long).slice(0, 60), 'run entry 2')).toThrow(error);
});
