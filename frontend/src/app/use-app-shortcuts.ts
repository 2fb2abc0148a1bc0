import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useShortcut } from '@/ui/shortcuts';

/** The keys that work on every page, and the state of their help dialog. */
export function useAppShortcuts() {
  const [opened, { open, close }] = useDisclosure(false);
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  useShortcut('?', 'Show these keys', open);
  useShortcut('g f', 'Go to the fleet', () => void navigate({ to: '/' }));
  useShortcut('g s', 'Go to the settings', () => void navigate({ to: '/settings/agents' }));
  useShortcut('r', 'Ask the server again for what this page shows', () => {
    void queryClient.invalidateQueries({ refetchType: 'active' });
  });
  return { opened, open, close };
}
