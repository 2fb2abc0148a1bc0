import { Kbd, Modal, Switch } from '@mantine/core';
import { useShortcutList, useSingleKeys } from '@/ui/shortcuts';
import classes from './shortcut-help.module.css';

interface ShortcutHelpProps {
  opened: boolean;
  onClose: () => void;
}

/** The keys of this page, and the switch that turns single keys off. */
export function ShortcutHelp({ opened, onClose }: ShortcutHelpProps) {
  const shortcuts = useShortcutList();
  const [on, setOn] = useSingleKeys();
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title="Keys on this page"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">Key</th>
            <th scope="col">What it does</th>
          </tr>
        </thead>
        <tbody>
          {shortcuts.map(({ keys, what }) => (
            <tr key={keys}>
              <td>
                {keys.split(' ').map((key) => (
                  <Kbd key={key} mr={4}>
                    {key}
                  </Kbd>
                ))}
              </td>
              <td>{what}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <Switch
        mt="md"
        checked={on}
        onChange={(event) => setOn(event.currentTarget.checked)}
        label="Single keys work"
        description="Switch this off when you use speech input or when keys are pressed by accident. This browser remembers it."
      />
    </Modal>
  );
}
