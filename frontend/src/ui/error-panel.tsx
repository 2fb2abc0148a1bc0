import { Button } from '@mantine/core';
import classes from './panels.module.css';

export interface ErrorPanelProps {
  /** What could not be shown, such as 'The list of agents'. */
  what?: string;
  sentence: string;
  /** HTTP status; 0 when there was no answer. */
  status: number;
  requestId: string;
  onRetry?: (() => void) | undefined;
}

/** A failure of one part of a page: what, why, what to quote when asking for help, and a way to try again. */
export function ErrorPanel({ what, sentence, status, requestId, onRetry }: ErrorPanelProps) {
  const quote = [status > 0 ? `status ${status}` : '', requestId ? `request ${requestId}` : '']
    .filter(Boolean)
    .join(', ');
  return (
    <div role="alert" className={classes.panel} data-kind="error">
      <p className={classes.title}>
        {what === undefined ? 'This could not be shown' : `${what} could not be shown`}
      </p>
      <p className={classes.text}>{sentence}</p>
      {quote ? <p className={classes.quote}>{quote}</p> : null}
      {onRetry === undefined ? null : (
        <Button variant="default" size="xs" onClick={onRetry} mt="xs">
          Try again
        </Button>
      )}
    </div>
  );
}
