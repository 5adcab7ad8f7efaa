import { describe, expect, it } from 'vitest';
import { holdBackOf } from '../../fold/hold-back.js';
import { line } from '../../fold/test-setup.js';
import { drawHoldBack } from './draw-hold-back.js';

const draw = (...lines: Parameters<typeof holdBackOf>[0]) => {
  const [part] = holdBackOf(lines);
  if (!part) throw new Error('there is no part');
  return drawHoldBack(part, { width: 100, height: 10 });
};

describe('drawHoldBack', () => {
  it('rises in steps with received and released text', () => {
    const { received, emitted } = draw(line.came(0, 5), line.came(1, 5), line.left(2, '12345'));
    expect(received).toBe('M0 10H0.0V5.0H50.0V0.0H100.0V0.0');
    expect(emitted).toBe('M0 10H0.0V10.0H50.0V10.0H100.0V5.0');
  });

  it('draws no buffered text after the part ends, even if less was released', () => {
    const { held } = draw(line.came(0, 10), line.left(1, '[X]'), line.ended(2));
    expect(held).toBe('M0 10H0.0V0.0H50.0V0.0H100.0V7.0V7.0H100.0V7.0H50.0V10.0H0.0Z');
  });

  it('draws a long part with few points', () => {
    const lines = Array.from({ length: 5000 }, (_, seq) => line.came(seq, 1));
    expect(draw(...lines).received.split('H').length).toBeLessThan(500);
  });
});
