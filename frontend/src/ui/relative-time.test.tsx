import { act, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RelativeTime } from './relative-time';

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-11-21T12:00:00Z') });
});

afterEach(() => {
  vi.useRealTimers();
});

describe('RelativeTime', () => {
  it('counts along', () => {
    render(<RelativeTime at="2026-11-21T11:59:50Z" />);
    expect(screen.getByText('10 s ago')).toHaveAttribute('datetime', '2026-11-21T11:59:50Z');
    act(() => vi.advanceTimersByTime(5000));
    expect(screen.getByText('15 s ago')).toBeVisible();
  });

  it('tells of what is to come', () => {
    render(<RelativeTime at="2026-11-21T13:30:00Z" />);
    expect(screen.getByText('in 1 h 30 min')).toBeVisible();
  });
});
