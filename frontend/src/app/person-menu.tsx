import { Button, Popover, SegmentedControl, UnstyledButton, useMantineColorScheme } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { signOut } from '@/api/auth';
import { describeFailure } from '@/api/problem';
import type { Session } from '@/api/session';
import classes from './person-menu.module.css';

interface PersonMenuProps {
  session: Session | undefined;
  onShowShortcuts: () => void;
}

/** Who is signed in, the colour scheme, the keys, and the way out. */
export function PersonMenu({ session, onShowShortcuts }: PersonMenuProps) {
  const [opened, setOpened] = useState(false);
  const email = session?.user?.email ?? '';
  return (
    <Popover
      opened={opened}
      onChange={setOpened}
      width={280}
      position="bottom-end"
      shadow="md"
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <UnstyledButton
          className={classes.button}
          aria-label={`Your account, ${email}`}
          onClick={() => setOpened((was) => !was)}
        >
          {email.slice(0, 1).toUpperCase() || '·'}
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown className={classes.menu ?? ''} aria-label="Your account">
        <div>
          <div className={classes.email}>{email}</div>
          <div className={classes.role}>
            {session?.role} of {session?.org?.name}
          </div>
        </div>
        <ColorSchemeSwitch />
        <Button
          variant="default"
          justify="space-between"
          rightSection={<kbd className={classes.key}>?</kbd>}
          onClick={() => {
            setOpened(false);
            onShowShortcuts();
          }}
        >
          Keys
        </Button>
        <Button variant="default" justify="flex-start" onClick={() => void leave()}>
          Sign out
        </Button>
      </Popover.Dropdown>
    </Popover>
  );
}

function ColorSchemeSwitch() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <div>
      <div className={classes.label} id="colour-scheme">
        Colours
      </div>
      <SegmentedControl
        fullWidth
        aria-labelledby="colour-scheme"
        value={colorScheme}
        onChange={setColorScheme}
        data={[
          { value: 'auto', label: 'System' },
          { value: 'light', label: 'Light' },
          { value: 'dark', label: 'Dark' },
        ]}
      />
    </div>
  );
}

async function leave(): Promise<void> {
  try {
    await signOut();
    // A fresh document holds nothing of what the last person saw: no answers, no tokens.
    globalThis.location.assign('/sign-in');
  } catch (error) {
    notifications.show({
      color: 'red',
      title: 'You are still signed in',
      message: describeFailure(error).sentence,
    });
  }
}
