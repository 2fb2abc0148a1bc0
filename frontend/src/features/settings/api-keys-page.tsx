import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ApiKey, NewApiKey } from '@/api/api-keys';
import { apiKeysQuery, useCreateApiKey, useRevokeApiKey } from '@/api/api-keys';
import { describeFailure } from '@/api/problem';
import { useHasRole } from '@/api/session';
import { CommandLine } from '@/ui/command-line';
import { ConfirmByTyping } from '@/ui/confirm-by-typing';
import { EmptyState } from '@/ui/empty-state';
import { ErrorPanel } from '@/ui/error-panel';
import { LoadingList } from '@/ui/list-states';
import { PageHeader } from '@/ui/page-header';
import classes from './api-keys-page.module.css';
import { ApiKeysTable } from './api-keys-table';
import { NewApiKeyForm } from './new-api-key-form';

const route = getRouteApi('/shell/settings/api-keys');

/** Keys with which programs speak to the API. */
export function ApiKeysPage() {
  const { create: creating, revoke } = route.useSearch();
  const navigate = route.useNavigate();
  const admin = useHasRole('admin');
  const keys = useQuery(apiKeysQuery);
  const create = useCreateApiKey();
  const asked = keys.data?.find(({ id }) => id === revoke);

  return (
    <>
      <PageHeader
        title="API keys"
        lead="For programs. A key belongs to this org and may do no more than its scope says."
        actions={
          admin && !creating ? (
            <Button onClick={() => void navigate({ search: { create: '1' } })}>Create a key</Button>
          ) : undefined
        }
      />
      {creating && admin ? (
        <NewApiKeyForm
          pending={create.isPending}
          error={create.error}
          onCancel={() => void navigate({ search: {} })}
          onSubmit={(request) => create.mutate(request, { onSuccess: () => void navigate({ search: {} }) })}
        />
      ) : null}
      {create.data === undefined || creating ? null : <ShownOnce made={create.data} onDone={create.reset} />}
      {keys.isError ? (
        <ErrorPanel
          what="The list of API keys"
          {...describeFailure(keys.error)}
          onRetry={() => void keys.refetch()}
        />
      ) : null}
      {keys.isPending ? <LoadingList of="API keys" /> : null}
      {keys.data?.length === 0 ? (
        <EmptyState title="No API key yet">
          Programs need one to read the fleet or to change it. People sign in instead.
        </EmptyState>
      ) : null}
      {keys.data?.length ? (
        <ApiKeysTable keys={keys.data} onRevoke={(id) => void navigate({ search: { revoke: id } })} />
      ) : null}
      {asked === undefined ? null : (
        <RevokeDialog apiKey={asked} onClose={() => void navigate({ search: {} })} />
      )}
    </>
  );
}

function ShownOnce({ made, onDone }: { made: NewApiKey; onDone: () => void }) {
  return (
    <section className={classes.once} aria-label="The new key">
      <p className={classes.words}>
        <strong>{made.name}</strong> is made. Copy the key now: it is not shown again.
      </p>
      <CommandLine name="the key" text={made.key} />
      <p className={classes.hint}>
        Programs send it as <code>Authorization: Bearer {made.prefix}…</code>
      </p>
      <Button variant="default" size="xs" onClick={onDone}>
        I have copied it
      </Button>
    </section>
  );
}

function RevokeDialog({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const revoke = useRevokeApiKey();
  return (
    <ConfirmByTyping
      title={`Revoke the key ${apiKey.name}?`}
      name={apiKey.name}
      action="Revoke"
      pending={revoke.isPending}
      error={revoke.error === null ? undefined : describeFailure(revoke.error).sentence}
      onClose={onClose}
      onConfirm={() =>
        revoke.mutate(apiKey.id, {
          onSuccess: () => {
            notifications.show({ message: `The key ${apiKey.name} is revoked.` });
            onClose();
          },
        })
      }
    >
      Programs that use it are refused at once. This cannot be undone.
    </ConfirmByTyping>
  );
}
