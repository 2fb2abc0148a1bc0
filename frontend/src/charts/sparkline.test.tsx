import { render, screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { Sparkline, sparkPath } from './sparkline';

describe('sparkPath', () => {
  it('stands on zero and reaches the top at the largest value', () => {
    expect(sparkPath([0, 5, 10], 100, 22)).toBe('M0 21h0L50 11L100 1');
  });

  it('breaks at a gap', () => {
    expect(sparkPath([1, null, 1, 1], 90, 12)).toBe('M0 1h0M60 1h0L90 1');
  });

  it('draws zeros along the floor and nothing at all for nothing', () => {
    expect(sparkPath([0, 0], 10, 12)).toBe('M0 11h0L10 11');
    expect(sparkPath([null, null], 10, 12)).toBe('');
    expect(sparkPath([], 10, 12)).toBe('');
  });
});

describe('Sparkline', () => {
  it('is a picture with a text', () => {
    render(<Sparkline values={[1, 2]} label="QPS of demo, last 2.00 /s" />);
    expect(screen.getByRole('img', { name: 'QPS of demo, last 2.00 /s' })).toBeInTheDocument();
  });
});
