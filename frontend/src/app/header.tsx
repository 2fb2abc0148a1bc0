import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { sessionQuery } from '@/api/session';
import classes from './header.module.css';
import { HealthChip } from './health-chip';
import { PersonMenu } from './person-menu';

interface HeaderProps {
  onShowShortcuts: () => void;
}

export function Header({ onShowShortcuts }: HeaderProps) {
  const { data: session } = useQuery(sessionQuery);
  return (
    <div className={classes.header}>
      <Link to="/" className={classes.product} aria-label="Leadline, to the fleet">
        <svg viewBox="0 0 32 32" width="26" height="26" aria-hidden="true">
          <rect width="32" height="32" rx="7" className={classes.tile} />
          <path d="M16 4v15" className={classes.rope} />
          <path
            d="M13.2 18.5h5.6l1.7 7.2a1.6 1.6 0 0 1-1.6 2h-5.8a1.6 1.6 0 0 1-1.6-2z"
            className={classes.lead}
          />
          <path d="M12.5 8.5h7M12.5 13.5h7" className={classes.rope} />
        </svg>
        <span className={classes.name}>Leadline</span>
      </Link>
      <span className={classes.org}>{session?.org?.name}</span>
      <div className={classes.right}>
        <HealthChip />
        <PersonMenu session={session} onShowShortcuts={onShowShortcuts} />
      </div>
    </div>
  );
}
