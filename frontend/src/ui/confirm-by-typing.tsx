import { Button, Group, Modal, TextInput } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { useState } from 'react';
import classes from './panels.module.css';

export interface ConfirmByTypingProps {
  /** What will happen, as a question: 'Revoke the agent of db1?' */
  title: string;
  /** What must be typed, to the letter. */
  name: string;
  /** The button's word, such as 'Revoke'. */
  action: string;
  /** What follows from it, and whether it can be undone. */
  children: ReactNode;
  pending: boolean;
  /** Why the last try failed. */
  error?: string | undefined;
  onConfirm: () => void;
  onClose: () => void;
}

/** Asks for a name before something that cannot be undone. */
export function ConfirmByTyping(props: ConfirmByTypingProps) {
  const { title, name, action, children, pending, error, onConfirm, onClose } = props;
  const [typed, setTyped] = useState('');
  const [asked, setAsked] = useState(false);
  const matches = typed.trim() === name;

  function submit(event: FormEvent) {
    event.preventDefault();
    setAsked(true);
    if (matches) onConfirm();
  }

  return (
    <Modal opened onClose={onClose} title={title} centered closeButtonProps={{ 'aria-label': 'Close' }}>
      <form onSubmit={submit}>
        <div className={classes.text}>{children}</div>
        <TextInput
          mt="md"
          data-autofocus
          label={
            <>
              Type <strong>{name}</strong> to confirm
            </>
          }
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          error={asked && !matches ? `This is not ${name}.` : error}
          autoComplete="off"
          spellCheck={false}
        />
        <Group justify="flex-end" mt="lg">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" color="red" loading={pending}>
            {action}
          </Button>
        </Group>
      </form>
    </Modal>
  );
}
