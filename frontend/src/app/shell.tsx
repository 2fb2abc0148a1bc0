import { AppShell } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Outlet, useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useLiveEvents } from '@/api/live-events';
import { sessionQuery } from '@/api/session';
import { useShortcutKeys } from '@/ui/shortcuts';
import { Banners } from './banners';
import { Header } from './header';
import { BottomNavigation, SideNavigation } from './navigation';
import { safeNext } from './search-params';
import classes from './shell.module.css';
import { ShortcutHelp } from './shortcut-help';
import { useAppShortcuts } from './use-app-shortcuts';

/** What stands around every page of a signed-in person. */
export function Shell() {
  useLiveEvents();
  useShortcutKeys();
  useLeaveWhenSignedOut();
  const help = useAppShortcuts();
  const main = useRef<HTMLElement>(null);
  useFocusOnNewPage(main);

  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 200, breakpoint: 'sm', collapsed: { mobile: true } }}
      footer={{ height: { base: 60, sm: 0 } }}
      classNames={{
        header: classes.header ?? '',
        navbar: classes.navbar ?? '',
        footer: classes.footer ?? '',
      }}
    >
      <a className={classes.skip} href="#main">
        Skip to content
      </a>
      <AppShell.Header>
        <Header onShowShortcuts={help.open} />
      </AppShell.Header>
      <AppShell.Navbar component="div" visibleFrom="sm">
        <SideNavigation />
      </AppShell.Navbar>
      <AppShell.Main component="div">
        <Banners />
        <main id="main" ref={main} tabIndex={-1} className={classes.main}>
          <Outlet />
        </main>
      </AppShell.Main>
      <AppShell.Footer hiddenFrom="sm" component="div">
        <BottomNavigation />
      </AppShell.Footer>
      <ShortcutHelp opened={help.opened} onClose={help.close} />
    </AppShell>
  );
}

/** A screen reader and the Tab key start at the new page's content, not where the old link was. */
function useFocusOnNewPage(main: React.RefObject<HTMLElement | null>) {
  const path = useLocation({ select: (location) => location.pathname });
  const shown = useRef(path);
  useEffect(() => {
    if (shown.current === path) return;
    shown.current = path;
    main.current?.focus({ preventScroll: true });
  }, [path, main]);
}

/** The session may end while a page is open: by expiry, or in another tab. */
function useLeaveWhenSignedOut() {
  const session = useQuery(sessionQuery);
  const navigate = useNavigate();
  const here = useLocation({ select: (location) => location.href });
  const signedOut = session.data?.authenticated === false;
  useEffect(() => {
    if (!signedOut) return;
    const next = safeNext(here);
    void navigate({ to: '/sign-in', search: next === undefined ? {} : { next } });
  }, [signedOut, here, navigate]);
}
