import { describe, expect, it } from 'vitest';
import { equals, isOneOf, rate } from './metricsql';

describe('equals', () => {
  it.each([
    ['demo', 'service="demo"'],
    ['a"} or up{b="', 'service="a\\"} or up{b=\\""'],
    ['back\\slash', 'service="back\\\\slash"'],
    ['two\nlines', 'service="two\\nlines"'],
  ])('quotes %j', (value, matcher) => {
    expect(equals('service', value)).toBe(matcher);
  });
});

describe('isOneOf', () => {
  it('takes values literally, not as patterns', () => {
    expect(isOneOf('node', ['db1', 'db.2', 'a|b'])).toBe('node=~"db1|db\\\\.2|a\\\\|b"');
  });

  it('cannot be left by a quote', () => {
    expect(isOneOf('node', ['x"} or y{z=~"'])).toBe('node=~"x\\"\\\\} or y\\\\{z=~\\""');
  });

  it('matches nothing when there is nothing to match', () => {
    expect(isOneOf('node', [])).toBe('node=~"$^"');
  });
});

describe('rate', () => {
  it('answers only where there are samples', () => {
    expect(rate('questions{a="b"}', 20)).toBe(
      '(rate(questions{a="b"}[20s]) if count_over_time(questions{a="b"}[20s]))',
    );
  });
});
