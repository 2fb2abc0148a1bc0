import { useComputedColorScheme } from '@mantine/core';
import { useMemo } from 'react';
import type { ColourScheme } from './palette';
import type { Ink } from './plot-options';

/** The theme as canvas needs it: the scheme, and the tokens' values, read again when the theme changes. */
export function useChartLook(): { scheme: ColourScheme; ink: Ink } {
  const scheme = useComputedColorScheme('light');
  return useMemo(() => ({ scheme, ink: readInk(scheme) }), [scheme]);
}

/** The stylesheet answers for the scheme that is already set on the document. */
function readInk(_scheme: ColourScheme): Ink {
  const style = getComputedStyle(document.documentElement);
  const token = (name: string) => style.getPropertyValue(name).trim() || 'gray';
  return {
    text: token('--ll-ink-muted'),
    grid: token('--ll-grid'),
    limit: token('--ll-line-strong'),
  };
}
