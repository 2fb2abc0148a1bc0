import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import classes from './page-header.module.css';

export interface PageHeaderProps {
  /** The page's h1, and the first part of the window's title. */
  title: string;
  /** One line below the title. */
  lead?: ReactNode;
  /** Buttons and switches at the right, below the title on a phone. */
  actions?: ReactNode;
  /** A state or small facts beside the title. */
  aside?: ReactNode;
}

/** Title, document title and actions of a page. */
export function PageHeader({ title, lead, actions, aside }: PageHeaderProps) {
  useDocumentTitle(`${title} · Leadline`);
  return (
    <div className={classes.header}>
      <div className={classes.words}>
        <div className={classes.line}>
          <h1 className={classes.title}>{title}</h1>
          {aside}
        </div>
        {lead === undefined ? null : <p className={classes.lead}>{lead}</p>}
      </div>
      {actions === undefined ? null : <div className={classes.actions}>{actions}</div>}
    </div>
  );
}
