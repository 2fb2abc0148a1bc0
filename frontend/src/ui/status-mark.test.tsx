import { MantineProvider } from '@mantine/core';
import { render, screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { Status } from './status-mark';
import { StatusMark } from './status-mark';

const STATES: Status[] = ['up', 'down', 'silent', 'waiting', 'off', 'unknown'];

describe('StatusMark', () => {
  it('gives each state a shape of its own, so that colour is never needed', () => {
    const { container } = render(
      <MantineProvider>
        {STATES.map((state) => (
          <StatusMark key={state} state={state} />
        ))}
      </MantineProvider>,
    );
    const shapes = [...container.querySelectorAll('svg')].map((svg) => svg.innerHTML);
    expect(new Set(shapes).size).toBe(STATES.length);
    expect(screen.getByText('Down')).toBeVisible();
  });

  it('keeps its word for screen readers where only the shape is drawn', () => {
    render(
      <MantineProvider>
        <StatusMark state="silent" word="No answer" compact />
      </MantineProvider>,
    );
    expect(screen.getByText('No answer')).toBeInTheDocument();
  });
});
