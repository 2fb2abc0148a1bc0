import type { ReactNode } from 'react';
import classes from './panels.module.css';

export interface EmptyStateProps {
  /** Why there is nothing here, in a few words. */
  title: string;
  /** The reason in a sentence, and the one thing to do about it. */
  children?: ReactNode;
}

/** Says why a list is empty. An empty screen without a reason could as well be a broken one. */
export function EmptyState({ title, children }: EmptyStateProps) {
  return (
    <div className={classes.panel} data-kind="empty">
      <p className={classes.title}>{title}</p>
      {children === undefined ? null : <div className={classes.text}>{children}</div>}
    </div>
  );
}
