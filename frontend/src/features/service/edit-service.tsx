import { Button, Checkbox, Modal, PasswordInput, Select, TagsInput, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { FormEvent } from 'react';
import { useEffect, useRef, useState } from 'react';
import { ApiProblem, describeFailure } from '@/api/problem';
import type { Service } from '@/api/services';
import { ErrorPanel } from '@/ui/error-panel';
import type { ServiceForm } from './service-change';
import { changeOf, formOf, relabelled } from './service-change';
import classes from './service-page.module.css';
import { useSaveService } from './use-save-service';

export interface EditServiceProps {
  readonly service: Service;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** The edit form in a dialog. A stray click outside does not throw away what was typed. */
export function EditService({ service, opened, onClose }: EditServiceProps) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={`Edit ${service.name || service.slug}`}
      size="lg"
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': 'Close without saving' }}
    >
      <ServiceFormView service={service} onClose={onClose} />
    </Modal>
  );
}

function ServiceFormView({ service, onClose }: Omit<EditServiceProps, 'opened'>) {
  const [form, setForm] = useState(() => formOf(service));
  const save = useSaveService(service.slug);
  const element = useRef<HTMLFormElement>(null);
  const change = changeOf(service, form);
  const set = (part: Partial<ServiceForm>) => setForm((before) => ({ ...before, ...part }));
  const errors = fieldErrors(save.error);
  useEffect(() => {
    if (save.isError) element.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [save.isError]);
  function submit(event: FormEvent) {
    event.preventDefault();
    save.mutate(change, {
      onSuccess: ({ name, notice }) => {
        notifications.show({ title: `${name || service.slug} is saved`, message: notice ?? '' });
        onClose();
      },
    });
  }
  return (
    <form ref={element} onSubmit={submit} className={classes.form} noValidate>
      {save.error && Object.keys(errors).length === 0 ? (
        <ErrorPanel what="The change" {...describeFailure(save.error)} />
      ) : null}
      <Naming form={form} set={set} errors={errors} />
      <Access service={service} form={form} set={set} errors={errors} />
      <NewSeriesNotice fields={relabelled(change)} />
      <div className={classes.buttons}>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" loading={save.isPending} disabled={Object.keys(change).length === 0}>
          Save
        </Button>
      </div>
    </form>
  );
}

type Errors = Readonly<Record<string, string>>;

function fieldErrors(error: Error | null): Errors {
  if (!(error instanceof ApiProblem)) return {};
  return Object.fromEntries(error.fields.map(({ field, message }) => [field, message]));
}

interface PartProps {
  readonly form: ServiceForm;
  readonly set: (part: Partial<ServiceForm>) => void;
  readonly errors: Errors;
}

function Naming({ form, set, errors }: PartProps) {
  const text = (field: 'name' | 'owner' | 'environment' | 'cluster' | 'replication_set', label: string) => (
    <TextInput
      label={label}
      value={form[field]}
      error={errors[field]}
      onChange={(event) => set({ [field]: event.currentTarget.value })}
    />
  );
  return (
    <>
      <div className={classes.pair}>
        {text('name', 'Name')}
        {text('owner', 'Owner')}
      </div>
      <TagsInput
        label="Tags"
        value={[...form.tags]}
        error={errors['tags']}
        onChange={(tags) => set({ tags })}
      />
      <div className={classes.pair}>
        {text('environment', 'Environment')}
        {text('cluster', 'Cluster')}
      </div>
      {text('replication_set', 'Replication set')}
    </>
  );
}

const TLS: readonly Service['tls'][] = ['off', 'preferred', 'required', 'skip-verify'];

function Access({ service, form, set, errors }: PartProps & { service: Service }) {
  const held = service.password_held_by;
  return (
    <fieldset className={classes.access}>
      <legend>How the agent logs in</legend>
      <div className={classes.pair}>
        <TextInput
          label="Address"
          description="host:port, or unix:/path/to/socket"
          value={form.address}
          error={errors['address']}
          onChange={(event) => set({ address: event.currentTarget.value })}
        />
        <Select
          label="TLS"
          description="skip-verify trusts any certificate"
          data={TLS}
          value={form.tls}
          allowDeselect={false}
          error={errors['tls']}
          onChange={(value) => set({ tls: TLS.find((mode) => mode === value) ?? form.tls })}
        />
      </div>
      <div className={classes.pair}>
        <TextInput
          label="User"
          autoComplete="off"
          value={form.user}
          error={errors['user']}
          onChange={(event) => set({ user: event.currentTarget.value })}
        />
        <PasswordInput
          label="New password"
          placeholder="Unchanged"
          autoComplete="new-password"
          value={form.password}
          disabled={form.agentPassword}
          error={errors['password']}
          onChange={(event) => set({ password: event.currentTarget.value })}
        />
      </div>
      <p className={classes.hint}>
        {held === 'agent'
          ? 'The agent keeps the password on its host. One that is typed here is kept on the server, encrypted, and replaces it.'
          : 'The server keeps the password, encrypted, and hands it to the agent.'}
      </p>
      {held === 'server' ? (
        <Checkbox
          label="Use the password that the agent keeps on its host again"
          checked={form.agentPassword}
          onChange={(event) => set({ agentPassword: event.currentTarget.checked })}
        />
      ) : null}
    </fieldset>
  );
}

function NewSeriesNotice({ fields }: { fields: readonly string[] }) {
  if (fields.length === 0) return null;
  return (
    <div className={classes.notice} role="status">
      <strong>New series begin.</strong> After changing the {fields.join(' and the ')} this page still shows
      the old and the new series, but queries and dashboards that filter by the old value no longer find what
      comes from now on.
    </div>
  );
}
