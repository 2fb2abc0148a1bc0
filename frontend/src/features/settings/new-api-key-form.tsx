import { Button, Group, NativeSelect, Radio, Stack, TextInput } from '@mantine/core';
import type { FormEvent } from 'react';
import { useRef, useState } from 'react';
import type { ApiKeyRequest, Scope } from '@/api/api-keys';
import { ApiProblem, describeFailure } from '@/api/problem';
import classes from './api-keys-page.module.css';

interface NewApiKeyFormProps {
  pending: boolean;
  error: Error | null;
  onSubmit: (request: ApiKeyRequest) => void;
  onCancel: () => void;
}

const SCOPES: readonly { value: Scope; label: string; description: string }[] = [
  { value: 'read', label: 'Read', description: 'See the fleet, its services and its numbers, as a viewer.' },
  {
    value: 'write',
    label: 'Write',
    description: 'Also change services, and enrol and revoke agents, as an operator.',
  },
  {
    value: 'admin',
    label: 'Admin',
    description: 'Also add people and read the audit trail, as an admin.',
  },
];
const DAY_MS = 86_400_000;
const LIVES: readonly { value: string; label: string }[] = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
  { value: '', label: 'It does not expire' },
];

/** Asks for a key's name, scope and life. */
export function NewApiKeyForm({ pending, error, onSubmit, onCancel }: NewApiKeyFormProps) {
  const [scope, setScope] = useState<Scope>('read');
  const [days, setDays] = useState('90');
  const [nameError, setNameError] = useState<string>();
  const name = useRef<HTMLInputElement>(null);
  const refused =
    error instanceof ApiProblem ? error.fields.find(({ field }) => field === 'name') : undefined;

  function submit(event: FormEvent) {
    event.preventDefault();
    const given = name.current?.value.trim() ?? '';
    if (given === '') {
      setNameError('Say what the key is for.');
      name.current?.focus();
      return;
    }
    setNameError(undefined);
    const expires = days === '' ? null : new Date(Date.now() + Number(days) * DAY_MS).toISOString();
    onSubmit({ name: given, scopes: [scope], expires_at: expires });
  }

  return (
    <form className={classes.form} onSubmit={submit} noValidate aria-labelledby="new-key">
      <h2 id="new-key" className={classes.heading}>
        A new key
      </h2>
      <TextInput
        ref={name}
        label="Name"
        description="What uses it, such as 'deploy pipeline'."
        maxLength={200}
        error={nameError ?? refused?.message}
        autoComplete="off"
        data-autofocus
      />
      <Radio.Group
        label="Scope"
        value={scope}
        onChange={(value) => setScope(SCOPES.find((one) => one.value === value)?.value ?? 'read')}
      >
        <Stack gap="xs" mt={6}>
          {SCOPES.map(({ value, label, description }) => (
            <Radio key={value} value={value} label={label} description={description} />
          ))}
        </Stack>
      </Radio.Group>
      <NativeSelect
        label="Life"
        value={days}
        onChange={(event) => setDays(event.currentTarget.value)}
        data={LIVES.map((life) => ({ ...life }))}
      />
      {error !== null && refused === undefined ? (
        <p role="alert" className={classes.error}>
          {describeFailure(error).sentence}
        </p>
      ) : null}
      <Group>
        <Button type="submit" loading={pending}>
          Create the key
        </Button>
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
      </Group>
    </form>
  );
}
