/**
 * Eight colours that stay apart for people with protanopia, deuteranopia and tritanopia, each at least 3:1 against the
 * backgrounds of its theme (palette.test.ts holds both). Slot n is the same hue in both themes, so that 'the orange
 * line' means the same to two people who look at one link.
 */
export type ColourScheme = 'light' | 'dark';

export const PALETTE: Readonly<Record<ColourScheme, readonly string[]>> = {
  light: ['#004ecf', '#de4d02', '#288e63', '#a268b1', '#834500', '#128afc', '#623a8b', '#38383a'],
  dark: ['#14b2fd', '#fd5c00', '#31a271', '#ed7cba', '#d6c03f', '#7ce2ff', '#9b67c7', '#ede9bb'],
};

const SLOTS = 8;

/** How a line looks. A ninth line repeats the first colour with dashes. */
export interface Stroke {
  readonly slot: number;
  readonly dash: readonly number[];
}

const DASHES: readonly (readonly number[])[] = [[], [6, 3], [2, 2]];

/**
 * Gives each identity its slot, from its name and not from its place in the list: sorting, hiding or reloading never
 * recolours a line. `fixed` binds well-known identities first.
 */
export function assignStrokes(
  identities: readonly string[],
  fixed: Readonly<Record<string, number>> = {},
): ReadonlyMap<string, Stroke> {
  const strokes = new Map<string, Stroke>();
  const uses = new Array<number>(SLOTS).fill(0);
  const take = (identity: string, slot: number) => {
    const used = uses[slot] ?? 0;
    strokes.set(identity, { slot, dash: DASHES[Math.min(used, DASHES.length - 1)] ?? [] });
    uses[slot] = used + 1;
  };
  const sorted = [...new Set(identities)].sort();
  for (const identity of sorted) {
    const slot = fixed[identity];
    if (slot !== undefined) take(identity, slot % SLOTS);
  }
  for (const identity of sorted) {
    if (!strokes.has(identity)) take(identity, freeSlot(identity, uses));
  }
  return strokes;
}

function freeSlot(identity: string, uses: readonly number[]): number {
  const wanted = hash(identity) % SLOTS;
  const least = Math.min(...uses);
  for (let offset = 0; offset < SLOTS; offset += 1) {
    const slot = (wanted + offset) % SLOTS;
    if (uses[slot] === least) return slot;
  }
  return wanted;
}

/** FNV-1a: the same on every machine and in every session. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const character of text) {
    value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193);
  }
  return value >>> 0;
}

export function colourOf(stroke: Stroke, scheme: ColourScheme): string {
  return PALETTE[scheme][stroke.slot] ?? 'currentColor';
}
