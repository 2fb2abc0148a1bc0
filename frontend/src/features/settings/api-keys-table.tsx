import { Button, VisuallyHidden } from '@mantine/core';
import type { ApiKey } from '@/api/api-keys';
import { useHasRole } from '@/api/session';
import records from '@/ui/records.module.css';
import { RelativeTime, useNow } from '@/ui/relative-time';

interface ApiKeysTableProps {
  keys: ApiKey[];
  onRevoke: (id: string) => void;
}

export function ApiKeysTable({ keys, onRevoke }: ApiKeysTableProps) {
  const admin = useHasRole('admin');
  return (
    <div className={records.box}>
      <table className={records.table}>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Key</th>
            <th scope="col">Scope</th>
            <th scope="col">Made</th>
            <th scope="col">Last used</th>
            <th scope="col">Expires</th>
            <th scope="col">
              <VisuallyHidden>What can be done</VisuallyHidden>
            </th>
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <tr key={key.id}>
              <td className={records.name}>{key.name}</td>
              <td data-label="Key" className={records.code}>
                {key.prefix}…
              </td>
              <td data-label="Scope">{key.scopes.join(', ')}</td>
              <td data-label="Made" className={records.short}>
                <span>
                  <RelativeTime at={key.created_at} />
                  {key.created_by ? <span className={records.muted}> by {key.created_by}</span> : null}
                </span>
              </td>
              <td data-label="Last used" className={records.short}>
                {key.last_used_at ? (
                  <RelativeTime at={key.last_used_at} />
                ) : (
                  <span className={records.muted}>never</span>
                )}
              </td>
              <td data-label="Expires" className={records.short}>
                <Expiry at={key.expires_at} />
              </td>
              <td className={records.action}>
                {admin ? (
                  <Button
                    variant="default"
                    size="compact-sm"
                    aria-label={`Revoke the key ${key.name}`}
                    onClick={() => onRevoke(key.id)}
                  >
                    Revoke…
                  </Button>
                ) : null}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Expiry({ at }: { at: string | null | undefined }) {
  const now = useNow(60_000);
  if (!at) return <span className={records.muted}>never</span>;
  const expired = new Date(at).getTime() < now;
  return (
    <span className={expired ? records.bad : undefined}>
      {expired ? 'expired ' : ''}
      <RelativeTime at={at} />
    </span>
  );
}
