import { notifications } from '@mantine/notifications';
import { useMatches, useRouter, useRouterState } from '@tanstack/react-router';
import { useEffect } from 'react';
import { stringifySearch, unknownNames } from './search-params';

/** Says which parts of a pasted or typed address this page does not know, and takes them out of the address. */
export function useDroppedParamsNotice(): void {
  const router = useRouter();
  const asked = useRouterState({ select: (state) => state.location.searchStr });
  const understood = useMatches({ select: (matches) => matches.at(-1)?.search });
  const settled = useRouterState({ select: (state) => state.status === 'idle' });
  useEffect(() => {
    if (!settled || understood === undefined) return;
    const dropped = unknownNames(Object.fromEntries(new URLSearchParams(asked)), understood);
    if (dropped.length === 0) return;
    notifications.show({
      id: 'dropped-params',
      title: 'Part of this address was left out',
      message: `This page does not know, or cannot read: ${dropped.join(', ')}.`,
    });
    const { pathname, hash } = router.state.location;
    router.history.replace(`${pathname}${stringifySearch(understood)}${hash ? `#${hash}` : ''}`);
  }, [asked, understood, settled, router]);
}
