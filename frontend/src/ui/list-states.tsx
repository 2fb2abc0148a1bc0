import { Skeleton } from '@mantine/core';
import classes from './panels.module.css';

export interface LoadingListProps {
  /** What is on its way, for screen readers: 'agents'. */
  of: string;
}

/** Stands where a list will be, on its first load only. */
export function LoadingList({ of }: LoadingListProps) {
  return (
    <div className={classes.panel}>
      <span role="status" className={classes.quote}>
        Loading {of}…
      </span>
      <Skeleton height={14} mt="md" width="60%" />
      <Skeleton height={14} mt="sm" width="85%" />
      <Skeleton height={14} mt="sm" width="70%" />
    </div>
  );
}
