import { Link, useLocation } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import classes from './navigation.module.css';

interface Screen {
  to: '/' | '/settings';
  /** Addresses that belong to the screen begin with one of these. */
  covers: readonly string[];
  name: string;
  icon: ReactNode;
}

/** Every screen of the product that the navigation shows, in order. A new screen is a line here. */
const SCREENS: readonly Screen[] = [
  {
    to: '/',
    covers: ['/services/'],
    name: 'Fleet',
    icon: <path d="M4 6.5h16M4 12h16M4 17.5h16M7 6.5v.01M7 12v.01M7 17.5v.01" />,
  },
  {
    to: '/settings',
    covers: ['/settings/'],
    name: 'Settings',
    icon: <path d="M4 7h9m4 0h3M4 12h3m4 0h9M4 17h7m4 0h5M15 5v4M9 10v4M13 15v4" />,
  },
];

/** The navigation at the left, from 768 px up. */
export function SideNavigation() {
  return (
    <nav aria-label="Screens" className={classes.side}>
      <Links />
    </nav>
  );
}

/** The same at the bottom of a phone's screen, where a thumb reaches it. */
export function BottomNavigation() {
  return (
    <nav aria-label="Screens" className={classes.bottom}>
      <Links />
    </nav>
  );
}

function Links() {
  const path = useLocation({ select: (location) => location.pathname });
  return SCREENS.map(({ to, covers, name, icon }) => (
    <Link
      key={to}
      to={to}
      className={classes.link}
      data-open={path === to || covers.some((start) => path.startsWith(start))}
    >
      <svg viewBox="0 0 24 24" width="20" height="20" className={classes.icon} aria-hidden="true">
        {icon}
      </svg>
      {name}
    </Link>
  ));
}
