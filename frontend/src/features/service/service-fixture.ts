import type { Service } from '@/api/services';

/** A service as the API answers it, for tests. */
export const service: Service = {
  slug: 'orders-db',
  name: 'Orders',
  engine: 'mariadb',
  version: '10.11.11-MariaDB',
  address: '127.0.0.1:3306',
  node: 'db1',
  environment: 'production',
  cluster: 'shop',
  replication_set: '',
  owner: 'payments',
  tags: ['gold'],
  state: 'up',
  reason: '',
  last_seen: '2026-11-21T11:59:55Z',
  agent: '22222222-2222-4222-8222-222222222222',
  user: 'leadline',
  tls: 'preferred',
  password_held_by: 'agent',
  epoch: 1,
  created_at: '2026-11-01T00:00:00Z',
};
