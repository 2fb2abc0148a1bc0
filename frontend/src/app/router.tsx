import type { QueryClient } from '@tanstack/react-query';
import {
  createBrowserHistory,
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { sessionQuery } from '@/api/session';
import { validateFleetSearch } from '@/features/fleet/fleet-search';
import { validateServiceSearch } from '@/features/service/service-search';
import { validateAgentsSearch } from '@/features/settings/agents-search';
import { validateApiKeysSearch } from '@/features/settings/api-keys-search';
import { nothing, sayingWhatIsDropped } from './dropped-params';
import { NotFoundPage, RouteFailure, RoutePending, ShellFailure } from './route-states';
import { parseSearch, safeNext, stringifySearch } from './search-params';
import { Shell } from './shell';

const rootRoute = createRootRouteWithContext<{ queryClient: QueryClient }>()({});

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: (raw: Record<string, unknown>): { next?: string } => {
    const next = safeNext(raw['next']);
    return next === undefined ? {} : { next };
  },
  component: lazyRouteComponent(() => import('@/features/sign-in/sign-in-page'), 'SignInPage'),
});

/** Everything that needs a signed-in person. */
const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'shell',
  beforeLoad: async ({ context, location }) => {
    const session = await context.queryClient.ensureQueryData(sessionQuery);
    if (session.authenticated) return;
    const next = safeNext(location.href);
    throw redirect({ to: '/sign-in', search: next === undefined || next === '/' ? {} : { next } });
  },
  component: Shell,
  errorComponent: ShellFailure,
});

const fleetRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/',
  validateSearch: sayingWhatIsDropped(validateFleetSearch),
  component: lazyRouteComponent(() => import('@/features/fleet/fleet-page'), 'FleetPage'),
});

const serviceRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/services/$slug',
  validateSearch: sayingWhatIsDropped(validateServiceSearch),
  component: lazyRouteComponent(() => import('@/features/service/service-page'), 'ServicePage'),
});

const settingsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/settings',
  component: lazyRouteComponent(() => import('@/features/settings/settings-layout'), 'SettingsLayout'),
});

const settingsIndexRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/settings/agents', replace: true });
  },
});

const agentsRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: '/agents',
  validateSearch: sayingWhatIsDropped(validateAgentsSearch),
  component: lazyRouteComponent(() => import('@/features/settings/agents-page'), 'AgentsPage'),
});

const enrolmentRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: '/enrolment',
  validateSearch: nothing,
  component: lazyRouteComponent(() => import('@/features/settings/enrolment-page'), 'EnrolmentPage'),
});

const apiKeysRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: '/api-keys',
  validateSearch: sayingWhatIsDropped(validateApiKeysSearch),
  component: lazyRouteComponent(() => import('@/features/settings/api-keys-page'), 'ApiKeysPage'),
});

const routeTree = rootRoute.addChildren([
  signInRoute,
  shellRoute.addChildren([
    fleetRoute,
    serviceRoute,
    settingsRoute.addChildren([settingsIndexRoute, agentsRoute, enrolmentRoute, apiKeysRoute]),
  ]),
]);

/** The one router. Search params are plain strings; each route validates its own and drops the rest. */
export function makeRouter(queryClient: QueryClient, history = createBrowserHistory()) {
  return createRouter({
    routeTree,
    history,
    context: { queryClient },
    parseSearch,
    stringifySearch,
    search: { strict: true },
    defaultPreload: 'intent',
    defaultPreloadStaleTime: 0,
    scrollRestoration: true,
    defaultPendingComponent: RoutePending,
    defaultErrorComponent: RouteFailure,
    defaultNotFoundComponent: NotFoundPage,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
}
