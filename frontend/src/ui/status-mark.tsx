import { VisuallyHidden } from '@mantine/core';
import classes from './status-mark.module.css';

/** How a service, node or agent is doing. `off` is for what is no longer meant to report, `unknown` for a state that this version of the page has no word for. */
export type Status = 'up' | 'down' | 'silent' | 'waiting' | 'off' | 'unknown';

const WORDS: Record<Status, string> = {
  up: 'Up',
  down: 'Down',
  silent: 'Silent',
  waiting: 'Waiting',
  off: 'Off',
  unknown: 'Unknown',
};

export interface StatusMarkProps {
  state: Status;
  /** Another word than the state's own, such as 'Revoked'. */
  word?: string;
  /** For places where the word stands beside the mark anyway: the shape alone, with the word for screen readers. */
  compact?: boolean;
}

/** A state as shape, word and colour, so that none of the three is needed alone. */
export function StatusMark({ state, word, compact = false }: StatusMarkProps) {
  const label = word ?? WORDS[state];
  return (
    <span className={classes.mark} data-state={state}>
      <svg viewBox="0 0 16 16" width="14" height="14" className={classes.shape} aria-hidden="true">
        <Shape state={state} />
      </svg>
      {compact ? <VisuallyHidden>{label}</VisuallyHidden> : <span>{label}</span>}
    </span>
  );
}

/** Disc with a tick, octagon with a bar, triangle, broken clock, empty ring with a bar, square with a question: told apart without colour. */
function Shape({ state }: { state: Status }) {
  switch (state) {
    case 'up':
      return (
        <>
          <circle cx="8" cy="8" r="7" fill="currentColor" />
          <path d="m4.8 8.3 2.2 2.2 4.2-4.6" className={classes.cut} />
        </>
      );
    case 'down':
      return (
        <>
          <path d="M5.1 1h5.8L15 5.1v5.8L10.9 15H5.1L1 10.9V5.1z" fill="currentColor" />
          <path d="M4.5 8h7" className={classes.cut} />
        </>
      );
    case 'silent':
      return (
        <>
          <path d="M8 1.2 15.2 14H.8z" fill="currentColor" strokeLinejoin="round" />
          <path d="M8 5.8v3.6M8 11.6v.3" className={classes.cut} />
        </>
      );
    case 'waiting':
      return (
        <>
          <circle cx="8" cy="8" r="6" className={classes.line} strokeDasharray="3 2.2" />
          <path d="M8 4.8V8l2.2 1.6" className={classes.line} />
        </>
      );
    case 'off':
      return (
        <>
          <circle cx="8" cy="8" r="6" className={classes.line} />
          <path d="M5 8h6" className={classes.line} />
        </>
      );
    case 'unknown':
      return (
        <>
          <rect x="2" y="2" width="12" height="12" rx="2" className={classes.line} />
          <path d="M6.2 6.3a1.9 1.9 0 1 1 2.6 1.8c-.5.2-.8.5-.8 1M8 11.3v.3" className={classes.line} />
        </>
      );
  }
}
