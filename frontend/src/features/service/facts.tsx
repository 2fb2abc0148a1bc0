import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Service } from '@/api/services';
import { RelativeTime } from '@/ui/relative-time';
import classes from './service-page.module.css';

/** What the service is. Facts that nobody gave are left out, those that every service has are not. */
export function Facts({ service }: { service: Service }) {
  return (
    <dl className={classes.facts}>
      <Fact name="Engine">{service.engine}</Fact>
      <Fact name="Version">{service.version || 'not known yet'}</Fact>
      <Fact name="Address">
        <code className={classes.code}>{service.address}</code>
      </Fact>
      <Fact name="Node">{service.node || '–'}</Fact>
      {service.environment ? <Fact name="Environment">{service.environment}</Fact> : null}
      {service.cluster ? <Fact name="Cluster">{service.cluster}</Fact> : null}
      {service.replication_set ? <Fact name="Replication set">{service.replication_set}</Fact> : null}
      {service.owner ? <Fact name="Owner">{service.owner}</Fact> : null}
      {service.tags.length > 0 ? <Fact name="Tags">{service.tags.join(', ')}</Fact> : null}
      <Fact name="Agent">
        {service.agent ? <Link to="/settings/agents">on {service.node || 'its node'}</Link> : 'none owns it'}
      </Fact>
      <Fact name="Last seen">{service.last_seen ? <RelativeTime at={service.last_seen} /> : 'never'}</Fact>
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={classes.fact}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
