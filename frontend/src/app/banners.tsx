import { CloseButton } from '@mantine/core';
import { useNetwork, useSessionStorage } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { sessionQuery } from '@/api/session';
import classes from './banners.module.css';

/** What a person must know whatever page is open: no network, or a server that only this machine can reach. */
export function Banners() {
  const { online } = useNetwork();
  return (
    <div role="status">
      {online ? null : (
        <p className={classes.banner} data-kind="warn">
          You are offline. What you see may be old; it is asked for again when you are back.
        </p>
      )}
      <LoopbackBanner />
    </div>
  );
}

function LoopbackBanner() {
  const { data: session } = useQuery(sessionQuery);
  const [hidden, setHidden] = useSessionStorage({ key: 'leadline.loopback-seen', defaultValue: false });
  if (session?.reachable !== false || hidden) return null;
  return (
    <div className={classes.banner}>
      <span>
        Other hosts cannot reach this server; set <code>LISTEN</code> and <code>PUBLIC_URL</code>.
      </span>
      <CloseButton size="sm" aria-label="Hide this notice" onClick={() => setHidden(true)} />
    </div>
  );
}
