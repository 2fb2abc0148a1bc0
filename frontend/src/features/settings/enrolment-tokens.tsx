import { Button, VisuallyHidden } from '@mantine/core';
import type { EnrolmentToken } from '@/api/enrolment-tokens';
import { useRevokeEnrolmentToken } from '@/api/enrolment-tokens';
import { describeFailure } from '@/api/problem';
import { useHasRole } from '@/api/session';
import { ErrorPanel } from '@/ui/error-panel';
import records from '@/ui/records.module.css';
import { RelativeTime, useNow } from '@/ui/relative-time';

/** What became of each token. */
export function EnrolmentTokens({ tokens }: { tokens: EnrolmentToken[] }) {
  const allowed = useHasRole('operator');
  const now = useNow(1000);
  const revoke = useRevokeEnrolmentToken();
  return (
    <>
      {revoke.isError ? <ErrorPanel what="The revocation" {...describeFailure(revoke.error)} /> : null}
      <div className={records.box}>
        <table className={records.table}>
          <thead>
            <tr>
              <th scope="col">Token</th>
              <th scope="col">Made</th>
              <th scope="col">What became of it</th>
              <th scope="col">
                <VisuallyHidden>What can be done</VisuallyHidden>
              </th>
            </tr>
          </thead>
          <tbody>
            {tokens.map((token) => {
              const usable = !token.used_at && new Date(token.expires_at).getTime() > now;
              return (
                <tr key={token.id}>
                  <td className={records.name}>
                    <span className={records.code}>{token.prefix}…</span>
                  </td>
                  <td data-label="Made" className={records.short}>
                    <RelativeTime at={token.created_at} />
                  </td>
                  <td data-label="What became of it">
                    <Fate token={token} usable={usable} />
                  </td>
                  <td className={records.action}>
                    {usable && allowed ? (
                      <Button
                        variant="default"
                        size="compact-sm"
                        aria-label={`Revoke the token ${token.prefix}`}
                        onClick={() => revoke.mutate(token.id)}
                      >
                        Revoke
                      </Button>
                    ) : null}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </>
  );
}

function Fate({ token, usable }: { token: EnrolmentToken; usable: boolean }) {
  if (token.used_at) {
    return (
      <span>
        Used by <strong>{token.used_by}</strong> <RelativeTime at={token.used_at} />
      </span>
    );
  }
  if (!usable) return <span className={records.muted}>Expired unused</span>;
  return (
    <span>
      Unused, expires <RelativeTime at={token.expires_at} />
    </span>
  );
}
