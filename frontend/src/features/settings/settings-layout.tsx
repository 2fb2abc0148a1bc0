import { Link, Outlet } from '@tanstack/react-router';
import classes from './settings-layout.module.css';

/** The settings' own navigation, above whichever page of them is open. */
export function SettingsLayout() {
  return (
    <>
      <nav aria-label="Settings" className={classes.tabs}>
        <Link to="/settings/agents" className={classes.tab}>
          Agents
        </Link>
        <Link to="/settings/enrolment" className={classes.tab}>
          Enrolment
        </Link>
        <Link to="/settings/api-keys" className={classes.tab}>
          API keys
        </Link>
      </nav>
      <Outlet />
    </>
  );
}
