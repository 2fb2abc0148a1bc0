import type { Service } from '@/api/services';

/** What the edit form holds. */
export interface ServiceForm {
  readonly name: string;
  readonly owner: string;
  readonly tags: string[];
  readonly environment: string;
  readonly cluster: string;
  readonly replication_set: string;
  readonly address: string;
  readonly user: string;
  readonly tls: Service['tls'];
  /** Empty keeps the password in use. */
  readonly password: string;
  /** Back to the password that the agent holds itself. */
  readonly agentPassword: boolean;
}

/** Body of the PATCH: only what was changed. An empty password means the agent's own. */
export type ServiceChange = Partial<Omit<ServiceForm, 'agentPassword'>>;

export function formOf(service: Service): ServiceForm {
  const { name, owner, tags, environment, cluster, replication_set, address, user, tls } = service;
  return {
    name,
    owner,
    tags,
    environment,
    cluster,
    replication_set,
    address,
    user,
    tls,
    password: '',
    agentPassword: false,
  };
}

const WORDS = [
  'name',
  'owner',
  'environment',
  'cluster',
  'replication_set',
  'address',
  'user',
  'tls',
] as const;

export function changeOf(service: Service, form: ServiceForm): ServiceChange {
  const changed = WORDS.filter((field) => form[field].trim() !== service[field]);
  return {
    ...Object.fromEntries(changed.map((field) => [field, form[field].trim()])),
    ...(sameWords(form.tags, service.tags) ? {} : { tags: [...form.tags] }),
    ...(form.agentPassword ? { password: '' } : {}),
    ...(!form.agentPassword && form.password ? { password: form.password } : {}),
  };
}

function sameWords(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((word, index) => word === other[index]);
}

/** Which of the changes begin new series: these are labels of every number the service sends. */
export function relabelled(change: ServiceChange): string[] {
  const names = {
    environment: 'environment',
    cluster: 'cluster',
    replication_set: 'replication set',
  } as const;
  return Object.entries(names).flatMap(([field, name]) => (field in change ? [name] : []));
}
