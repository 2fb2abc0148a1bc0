/**
 * The one place where a number becomes text: always with its unit, always with three significant digits.
 * The ids are Grafana's, so that a dashboard definition can carry them unchanged.
 */

/** `suffix:NOUN` gives a count the thing it counts (`suffix:threads`). */
export type Unit = 'bytes' | 'binBps' | 'ops' | 's' | 'ms' | 'percent' | 'percentunit' | `suffix:${string}`;

/** Shown where there is no number: a gap, a series that has not begun. */
export const NO_VALUE = '–';

interface Scale {
  readonly factor: number;
  readonly prefix: string;
}

const BINARY: readonly Scale[] = [
  { factor: 1, prefix: '' },
  { factor: 2 ** 10, prefix: 'Ki' },
  { factor: 2 ** 20, prefix: 'Mi' },
  { factor: 2 ** 30, prefix: 'Gi' },
  { factor: 2 ** 40, prefix: 'Ti' },
  { factor: 2 ** 50, prefix: 'Pi' },
];
const DECIMAL: readonly Scale[] = [
  { factor: 1, prefix: '' },
  { factor: 1e3, prefix: 'k' },
  { factor: 1e6, prefix: 'M' },
  { factor: 1e9, prefix: 'G' },
  { factor: 1e12, prefix: 'T' },
];
const SECONDS: readonly Scale[] = [
  { factor: 1e-6, prefix: 'µs' },
  { factor: 1e-3, prefix: 'ms' },
  { factor: 1, prefix: 's' },
  { factor: 60, prefix: 'min' },
  { factor: 3600, prefix: 'h' },
  { factor: 86_400, prefix: 'd' },
];
const ONE: readonly Scale[] = [{ factor: 1, prefix: '' }];
/** Up to here a count or a rate is written out: 1,234 reads better than 1.23 k. */
const WRITTEN_OUT = 10_000;
const SMALLEST_SHOWN = 1e-4;

interface Family {
  readonly scales: readonly Scale[];
  readonly multiply: number;
  readonly writtenOut: number;
  readonly whole: boolean;
  readonly label: (prefix: string) => string;
}

const FAMILIES: Readonly<Record<Exclude<Unit, `suffix:${string}`>, Family>> = {
  bytes: family(BINARY, (prefix) => `${prefix}B`),
  binBps: family(BINARY, (prefix) => `${prefix}B/s`),
  ops: { ...family(DECIMAL, (prefix) => `${prefix}/s`), writtenOut: WRITTEN_OUT },
  s: family(SECONDS, (prefix) => prefix),
  ms: { ...family(SECONDS, (prefix) => prefix), multiply: 1e-3 },
  percent: family(ONE, () => '%'),
  percentunit: { ...family(ONE, () => '%'), multiply: 100 },
};

function family(scales: readonly Scale[], label: (prefix: string) => string): Family {
  return { scales, multiply: 1, writtenOut: 0, whole: false, label };
}

function familyOf(unit: Unit): Family {
  if (isNoun(unit)) {
    const noun = unit.slice('suffix:'.length);
    return {
      ...family(DECIMAL, (prefix) => `${prefix} ${noun}`.trim()),
      writtenOut: WRITTEN_OUT,
      whole: true,
    };
  }
  return FAMILIES[unit];
}

function isNoun(unit: Unit): unit is `suffix:${string}` {
  return unit.startsWith('suffix:');
}

/** The value with its unit, to three significant digits: `formatValue(1536, 'bytes')` is `1.50 KiB`. */
export function formatValue(value: number | null | undefined, unit: Unit): string {
  const { text, label } = valueParts(value, unit);
  return label ? `${text} ${label}` : text;
}

/** The number and its unit apart, for a table that sets them in two columns. */
export function valueParts(value: number | null | undefined, unit: Unit): { text: string; label: string } {
  if (value === null || value === undefined || !Number.isFinite(value)) {
    return { text: NO_VALUE, label: '' };
  }
  const kind = familyOf(unit);
  const amount = value * kind.multiply;
  if (kind.scales === ONE) return { text: percentDigits(amount), label: kind.label('') };
  const scale = scaleFor(amount, kind);
  return { text: digits(amount / scale.factor, kind), label: kind.label(scale.prefix) };
}

function scaleFor(amount: number, kind: Family): Scale {
  const fallback = kind.scales.find((scale) => scale.factor === 1) ?? { factor: 1, prefix: '' };
  const size = Math.abs(amount);
  if (size === 0 || size < kind.writtenOut) return fallback;
  let chosen = kind.scales[0] ?? fallback;
  for (const scale of kind.scales) {
    // Rounded first, so that 1,023.9 KiB becomes 1.00 MiB and never 1,024 KiB.
    if (roundShown(size / chosen.factor) * chosen.factor >= scale.factor) chosen = scale;
  }
  return chosen;
}

function roundShown(value: number): number {
  return Number(value.toFixed(decimalsFor(value)));
}

function decimalsFor(value: number): number {
  const size = Math.abs(value);
  if (size >= 99.95) return 0;
  if (size >= 9.995) return 1;
  return 2;
}

function digits(value: number, kind: Family): string {
  const size = Math.abs(value);
  if (size === 0) return '0';
  if (size < SMALLEST_SHOWN) return value < 0 ? `-0.0001` : '<0.0001';
  if (kind.whole && Number.isInteger(value)) return grouped(value, 0);
  if (size < 0.1) return String(Number(value.toPrecision(2)));
  return grouped(value, decimalsFor(value));
}

/** Near 100 a percentage is cut, not rounded: 99.996 % of hits is not all of them. */
function percentDigits(value: number): string {
  if (value > 0 && value < 0.05) return String(Number(value.toPrecision(1)));
  if (value >= 99 && value < 100) return (Math.floor(value * 100) / 100).toFixed(2);
  return value.toFixed(1);
}

function grouped(value: number, decimals: number): string {
  const [whole = '0', fraction] = value.toFixed(decimals).split('.');
  const withCommas = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction ? `${withCommas}.${fraction}` : withCommas;
}

/**
 * Labels of an axis: one scale for all ticks, just enough decimals to tell them apart, the unit on each.
 * Ticks must rise.
 */
export function formatTicks(ticks: readonly number[], unit: Unit): string[] {
  const kind = familyOf(unit);
  const amounts = ticks.map((tick) => tick * kind.multiply);
  const largest = amounts.reduce((most, amount) => Math.max(most, Math.abs(amount)), 0);
  const scale = kind.scales === ONE ? { factor: 1, prefix: '' } : scaleFor(largest, kind);
  const scaled = amounts.map((amount) => amount / scale.factor);
  const decimals = tickDecimals(scaled);
  // A count's noun stands in the chart's head; on every tick it would only push the plot aside.
  const label = isNoun(unit) ? scale.prefix : kind.label(scale.prefix);
  return scaled.map((value) => {
    const text = grouped(value, decimals);
    return label ? `${text} ${label}` : text;
  });
}

const MOST_TICK_DECIMALS = 6;

/** The fewest decimals that write every tick exactly. */
function tickDecimals(ticks: readonly number[]): number {
  for (let decimals = 0; decimals < MOST_TICK_DECIMALS; decimals += 1) {
    if (ticks.every((tick) => Math.abs(Number(tick.toFixed(decimals)) - tick) < 1e-9)) {
      return decimals;
    }
  }
  return MOST_TICK_DECIMALS;
}

/** The unit of the numbers as the store gives them, for a column of raw values: `B/s`, `threads`. */
export function rawUnit(unit: Unit): string {
  if (isNoun(unit)) return unit.slice('suffix:'.length);
  return RAW[unit];
}

const RAW: Readonly<Record<Exclude<Unit, `suffix:${string}`>, string>> = {
  bytes: 'B',
  binBps: 'B/s',
  ops: '1/s',
  s: 's',
  ms: 'ms',
  percent: '%',
  percentunit: '1 = 100 %',
};
