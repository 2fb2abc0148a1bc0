import type { CSSVariablesResolver, MantineColorsTuple, VariantColorsResolver } from '@mantine/core';
import { createTheme, defaultVariantColorsResolver } from '@mantine/core';

const lead: MantineColorsTuple = [
  '#eaf6fa',
  '#d3eaf2',
  '#a6d6e6',
  '#74c7de',
  '#4aaecb',
  '#2f97b6',
  '#1f7f9d',
  '#146b87',
  '#0c5a73',
  '#07475c',
];

/** Mantine's greys for the dark theme, on the same scale as the tokens. */
const dark: MantineColorsTuple = [
  '#e3ebf0',
  '#c6d3db',
  '#a0b1bd',
  '#6a7f8d',
  '#33454f',
  '#263641',
  '#1a2831',
  '#131e26',
  '#0d151b',
  '#0a1116',
];

/** Filled parts take the tokens' pairs of colours: Mantine reckons the text's colour for the light theme only. */
const variantColorResolver: VariantColorsResolver = (input) => {
  if (input.variant !== 'filled') return defaultVariantColorsResolver(input);
  const name = input.color === 'red' ? 'bad' : 'accent';
  return {
    background: `var(--ll-${name})`,
    hover: `color-mix(in srgb, var(--ll-${name}) 88%, var(--ll-ink))`,
    color: `var(--ll-${name}-ink)`,
    border: '1px solid transparent',
  };
};

/** Mantine's theme: system fonts, one accent, small radii. Colours that components show come from tokens.css. */
export const theme = createTheme({
  colors: { lead, dark },
  primaryColor: 'lead',
  primaryShade: { light: 8, dark: 3 },
  autoContrast: true,
  variantColorResolver,
  defaultRadius: 'sm',
  fontFamily: "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif",
  fontFamilyMonospace: "ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace",
  headings: { fontWeight: '650' },
  cursorType: 'pointer',
  respectReducedMotion: true,
});

const fromTokens = {
  '--mantine-color-body': 'var(--ll-page)',
  '--mantine-color-text': 'var(--ll-ink)',
  '--mantine-color-dimmed': 'var(--ll-ink-muted)',
  '--mantine-color-placeholder': 'var(--ll-ink-muted)',
  '--mantine-color-default': 'var(--ll-surface)',
  '--mantine-color-default-border': 'var(--ll-line)',
  '--mantine-color-anchor': 'var(--ll-accent)',
  '--mantine-color-error': 'var(--ll-bad)',
};

/** Points Mantine's own colours at the tokens, so that both themes have one source. */
export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: {},
  // The border of inputs, which must stand out from its ground by 3:1, is this grey in Mantine.
  light: { ...fromTokens, '--mantine-color-gray-4': 'var(--ll-line-strong)' },
  dark: { ...fromTokens, '--mantine-color-dark-4': 'var(--ll-line-strong)' },
});
