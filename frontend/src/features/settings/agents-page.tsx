import { Button, Switch } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { Agent } from '@/api/agents';
import { agentsQuery, useRevokeAgent } from '@/api/agents';
import { describeFailure } from '@/api/problem';
import { ConfirmByTyping } from '@/ui/confirm-by-typing';
import { EmptyState } from '@/ui/empty-state';
import { ErrorPanel } from '@/ui/error-panel';
import { LoadingList } from '@/ui/list-states';
import { PageHeader } from '@/ui/page-header';
import { byTrouble, isRetired } from './agent-trouble';
import { AgentsTable } from './agents-table';

const route = getRouteApi('/shell/settings/agents');

/** Every agent with what it suffers from, trouble first. */
export function AgentsPage() {
  const { revoke } = route.useSearch();
  const navigate = route.useNavigate();
  const agents = useQuery(agentsQuery);
  const asked = agents.data?.find(({ id }) => id === revoke);

  function ask(id: string | undefined) {
    void navigate({ search: ({ all }) => ({ ...(all && { all }), ...(id && { revoke: id }) }) });
  }

  return (
    <>
      <PageHeader
        title="Agents"
        lead="An agent watches its host and any number of databases. Trouble stands first."
        actions={
          <Button component={Link} to="/settings/enrolment">
            Enrol a host
          </Button>
        }
      />
      {agents.isError ? (
        <ErrorPanel
          what="The list of agents"
          {...describeFailure(agents.error)}
          onRetry={() => void agents.refetch()}
        />
      ) : null}
      {agents.isPending ? <LoadingList of="agents" /> : null}
      {agents.data ? <AgentsList agents={agents.data} onRevoke={ask} /> : null}
      {asked === undefined ? null : <RevokeDialog agent={asked} onClose={() => ask(undefined)} />}
    </>
  );
}

function AgentsList({ agents, onRevoke }: { agents: Agent[]; onRevoke: (id: string) => void }) {
  const { all } = route.useSearch();
  const navigate = route.useNavigate();
  const live = agents.filter((agent) => !isRetired(agent));
  const shown = byTrouble(all ? agents : live);
  const retired = agents.length - live.length;
  return (
    <>
      {shown.length === 0 ? (
        <EmptyState title={retired > 0 ? 'No live agent' : 'No agent yet'}>
          {retired > 0
            ? `All ${retired} agents were revoked or superseded. Enrol a host to watch it.`
            : 'No host runs an agent for this org. Enrol one: it takes a token and one command.'}
        </EmptyState>
      ) : (
        <AgentsTable agents={shown} onRevoke={onRevoke} />
      )}
      {retired === 0 ? null : (
        <Switch
          mt="md"
          label={`Show ${retired} revoked or superseded`}
          checked={all === '1'}
          onChange={(event) => {
            const on = event.currentTarget.checked;
            void navigate({ search: on ? { all: '1' } : {}, replace: true });
          }}
        />
      )}
    </>
  );
}

function RevokeDialog({ agent, onClose }: { agent: Agent; onClose: () => void }) {
  const revoke = useRevokeAgent();
  return (
    <ConfirmByTyping
      title={`Revoke the agent of ${agent.node}?`}
      name={agent.node}
      action="Revoke"
      pending={revoke.isPending}
      error={revoke.error === null ? undefined : describeFailure(revoke.error).sentence}
      onClose={onClose}
      onConfirm={() =>
        revoke.mutate(agent.id, {
          onSuccess: () => {
            notifications.show({ message: `The agent of ${agent.node} is revoked.` });
            onClose();
          },
        })
      }
    >
      Its key stops working at once and nothing more is taken from it. The host, its services and their
      history stay; to watch them again, enrol the host anew. This cannot be undone.
    </ConfirmByTyping>
  );
}
