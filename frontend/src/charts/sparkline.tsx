export interface SparklineProps {
  /** Null is a gap and is drawn as one. */
  readonly values: readonly (number | null)[];
  /** The line in words; the picture itself is too small to be read. */
  readonly label: string;
  readonly width?: number;
  readonly height?: number;
}

/** A small line from zero, as one SVG path: cheap enough for a hundred rows. */
export function Sparkline({ values, label, width = 96, height = 24 }: SparklineProps) {
  return (
    <svg
      role="img"
      aria-label={label}
      display="block"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
    >
      <line x1="0" x2={width} y1={height - 0.5} y2={height - 0.5} stroke="var(--ll-line)" />
      <path
        d={sparkPath(values, width, height)}
        fill="none"
        stroke="var(--ll-accent)"
        strokeWidth="1.4"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}

const EDGE = 1;

/** An SVG path over `width` by `height`; it breaks at gaps, and zero lies on the floor. */
export function sparkPath(values: readonly (number | null)[], width: number, height: number): string {
  const numbers = values.filter((value) => value !== null);
  const top = Math.max(...numbers, 0);
  const scaleX = values.length > 1 ? width / (values.length - 1) : 0;
  const scaleY = top > 0 ? (height - 2 * EDGE) / top : 0;
  let path = '';
  let drawing = false;
  values.forEach((value, index) => {
    if (value === null) {
      drawing = false;
      return;
    }
    const point = `${round(index * scaleX)} ${round(height - EDGE - value * scaleY)}`;
    // A point between gaps is a line of no length, which a round cap shows as a dot.
    path += drawing ? `L${point}` : `M${point}h0`;
    drawing = true;
  });
  return path;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
