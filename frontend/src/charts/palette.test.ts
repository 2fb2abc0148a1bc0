import { describe, expect, it } from 'vitest';
import type { ColourScheme } from './palette';
import { assignStrokes, colourOf, PALETTE } from './palette';

type Triple = readonly [number, number, number];

/** The surfaces of src/ui/tokens.css a chart can stand on. */
const BACKGROUNDS: Record<ColourScheme, readonly string[]> = {
  light: ['#ffffff', '#f3f6f8'],
  dark: ['#131e26', '#1a2831', '#0d151b'],
};

/** Machado, Oliveira and Fernandes 2009, full severity. */
const SIGHT: Record<string, readonly [Triple, Triple, Triple]> = {
  usual: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

function linear(hex: string): Triple {
  const channel = (at: number) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [channel(1), channel(3), channel(5)];
}

function times(matrix: readonly [Triple, Triple, Triple], [x, y, z]: Triple): Triple {
  const row = ([a, b, c]: Triple) => a * x + b * y + c * z;
  return [row(matrix[0]), row(matrix[1]), row(matrix[2])];
}

function contrast(one: string, other: string): number {
  const luminance = (hex: string) => {
    const [r, g, b] = linear(hex);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [dark = 0, bright = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (bright + 0.05) / (dark + 0.05);
}

function oklab(rgb: Triple): Triple {
  const cone = times(
    [
      [0.4122214708, 0.5363325363, 0.0514459929],
      [0.2119034982, 0.6806995451, 0.1073969566],
      [0.0883024619, 0.2817188376, 0.6299787005],
    ],
    rgb,
  );
  return times(
    [
      [0.2104542553, 0.793617785, -0.0040720468],
      [1.9779984951, -2.428592205, 0.4505937099],
      [0.0259040371, 0.7827717662, -0.808675766],
    ],
    [Math.cbrt(cone[0]), Math.cbrt(cone[1]), Math.cbrt(cone[2])],
  );
}

function distance(one: string, other: string, sight: readonly [Triple, Triple, Triple]): number {
  const clip = (value: number) => Math.min(1, Math.max(0, value));
  const seen = (hex: string) => {
    const [r, g, b] = times(sight, linear(hex));
    return oklab([clip(r), clip(g), clip(b)]);
  };
  const [a, b] = [seen(one), seen(other)];
  return 100 * Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

describe.each(['light', 'dark'] as const)('the %s palette', (scheme) => {
  const colours = PALETTE[scheme];

  it('stands at least 3:1 against every surface', () => {
    for (const background of BACKGROUNDS[scheme]) {
      for (const colour of colours) {
        expect(contrast(colour, background), `${colour} on ${background}`).toBeGreaterThanOrEqual(3);
      }
    }
  });

  it.each(Object.entries(SIGHT))('stays apart with %s', (_name, sight) => {
    colours.forEach((one, index) => {
      for (const other of colours.slice(index + 1)) {
        // 2 is the smallest difference one sees side by side; thin lines apart from each other need several times that.
        expect(distance(one, other, sight), `${one} and ${other}`).toBeGreaterThanOrEqual(8);
      }
    });
  });
});

describe('assignStrokes', () => {
  it('binds a colour to the identity, not to its place', () => {
    const one = assignStrokes(['/', '/var', '/home']);
    const other = assignStrokes(['/home', '/', '/var']);
    for (const identity of ['/', '/var', '/home']) expect(other.get(identity)).toEqual(one.get(identity));
  });

  it('gives eight identities eight colours and dashes the ninth', () => {
    const identities = Array.from({ length: 9 }, (_, index) => `disk${index}`);
    const strokes = [...assignStrokes(identities).values()];
    expect(new Set(strokes.map((stroke) => stroke.slot)).size).toBe(8);
    expect(strokes.filter((stroke) => stroke.dash.length > 0)).toHaveLength(1);
  });

  it('keeps fixed ones where they are told to be', () => {
    const strokes = assignStrokes(['select', 'other', 'insert'], { select: 0, insert: 1 });
    expect(strokes.get('select')?.slot).toBe(0);
    expect(strokes.get('insert')?.slot).toBe(1);
    expect([0, 1]).not.toContain(strokes.get('other')?.slot);
  });

  it('has the same slot in both themes', () => {
    const stroke = { slot: 1, dash: [] };
    expect(colourOf(stroke, 'light')).toBe(PALETTE.light[1]);
    expect(colourOf(stroke, 'dark')).toBe(PALETTE.dark[1]);
  });
});
