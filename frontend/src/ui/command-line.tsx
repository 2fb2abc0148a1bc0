import { CopyButton, UnstyledButton } from '@mantine/core';
import classes from './command-line.module.css';

export interface CommandLineProps {
  /** What is copied. Several lines are kept as they are. */
  text: string;
  /** What it is, for the copy button's name: 'Copy the enrol command'. */
  name: string;
}

/** A line to paste into a shell or a SQL client, with a button that copies exactly this text. */
export function CommandLine({ text, name }: CommandLineProps) {
  return (
    <div className={classes.box}>
      <pre className={classes.text}>
        <code>{text}</code>
      </pre>
      <CopyButton value={text} timeout={2500}>
        {({ copied, copy }) => (
          <UnstyledButton className={classes.copy} onClick={copy} aria-label={`Copy ${name}`}>
            <span aria-live="polite">{copied ? 'Copied' : 'Copy'}</span>
          </UnstyledButton>
        )}
      </CopyButton>
    </div>
  );
}
