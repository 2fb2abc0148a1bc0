import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { describeFailure } from '@/api/problem';
import type { Service } from '@/api/services';
import { serviceQuery } from '@/api/services';
import { sessionQuery } from '@/api/session';
import { ErrorPanel } from '@/ui/error-panel';
import { LoadingList } from '@/ui/list-states';
import { PageHeader } from '@/ui/page-header';
import { EditService } from './edit-service';
import { Facts } from './facts';
import { ServiceCharts } from './service-charts';
import classes from './service-page.module.css';
import { Verdict } from './verdict';

/** One database server: how it is, what it is, and its eight charts. */
export function ServicePage() {
  const { slug } = useParams({ from: '/shell/services/$slug' });
  const service = useQuery(serviceQuery(slug));
  if (service.data) return <ServiceView key={slug} service={service.data} failed={service.error} />;
  if (service.isError) {
    return (
      <>
        <PageHeader title={slug} />
        <ErrorPanel
          what="This service"
          {...describeFailure(service.error)}
          onRetry={() => void service.refetch()}
        />
        <p>
          <Link to="/">Back to the fleet</Link>
        </p>
      </>
    );
  }
  return <LoadingList of="the service" />;
}

function ServiceView({ service, failed }: { service: Service; failed: Error | null }) {
  const { edit } = useSearch({ from: '/shell/services/$slug' });
  const navigate = useNavigate({ from: '/services/$slug' });
  const mayEdit = useMayEdit();
  const setEdit = (open: boolean) =>
    void navigate({
      search: ({ edit: _before, ...others }) => (open ? { ...others, edit: '1' as const } : others),
      replace: !open,
      resetScroll: false,
    });
  return (
    <>
      <PageHeader
        title={service.name || service.slug}
        aside={
          service.name && service.name !== service.slug ? (
            <span className={classes.slug}>{service.slug}</span>
          ) : null
        }
        actions={
          mayEdit ? (
            <Button variant="default" size="xs" onClick={() => setEdit(true)}>
              Edit
            </Button>
          ) : null
        }
      />
      {failed ? <ErrorPanel what="The latest state" {...describeFailure(failed)} /> : null}
      <Verdict service={service} />
      <Facts service={service} />
      <ServiceCharts service={service} />
      {mayEdit ? (
        <EditService service={service} opened={edit === '1'} onClose={() => setEdit(false)} />
      ) : null}
    </>
  );
}

/** Operators and up change services; the server decides, this only spares a viewer the button. */
function useMayEdit(): boolean {
  const { data } = useQuery(sessionQuery);
  return data?.role === 'operator' || data?.role === 'admin' || data?.role === 'owner';
}
