import type { Page } from '@playwright/test';
import { expect, test } from '@playwright/test';
import { expectAccessible, expectNoSidewaysScroll } from './accessibility';

interface Screen {
  name: string;
  address: string;
  /** What must be on it before it is judged. */
  ready: (page: Page) => Promise<void>;
}

const SCREENS: readonly Screen[] = [
  { name: 'the fleet', address: '/', ready: (page) => heading(page, 'Fleet') },
  {
    name: 'the fleet, filtered to nothing',
    address: '/?q=no-such-service',
    ready: (page) => heading(page, 'Fleet'),
  },
  { name: 'agents', address: '/settings/agents?all=1', ready: (page) => heading(page, 'Agents') },
  {
    name: 'enrolment with a token',
    address: '/settings/enrolment',
    ready: async (page) => {
      await page.getByRole('button', { name: 'Create an enrolment token' }).click();
      await expect(page.getByText('Waiting for the agent…')).toBeVisible();
    },
  },
  { name: 'API keys', address: '/settings/api-keys?create=1', ready: (page) => heading(page, 'API keys') },
  {
    name: 'the keys help',
    address: '/settings/agents',
    ready: async (page) => {
      await heading(page, 'Agents');
      await page.keyboard.press('?');
      await expect(page.getByRole('dialog', { name: 'Keys on this page' })).toBeVisible();
    },
  },
  {
    name: 'an address that leads nowhere',
    address: '/nowhere',
    ready: (page) => heading(page, 'No such page'),
  },
];

for (const screen of SCREENS) {
  test(`${screen.name} is accessible and fits`, async ({ page }) => {
    await page.goto(screen.address);
    await screen.ready(page);
    await judge(page, screen.name);
  });
}

test('a service page is accessible and fits, as charts and as tables', async ({ page }) => {
  await page.goto('/');
  await page.getByRole('link', { name: 'demo', exact: true }).first().click();
  await expect(page).toHaveURL(/\/services\/demo/);
  await expect(page.getByRole('figure').first()).toBeVisible();
  await page.waitForLoadState('networkidle', { timeout: 10_000 }).catch(() => undefined);
  await judge(page, 'the service page');
  await page.getByRole('button', { name: 'Statements as a table', exact: true }).click();
  await expect(page.getByRole('region', { name: 'Statements as a table', exact: true })).toBeVisible();
  await judge(page, 'the service page with a table');
});

async function heading(page: Page, name: string): Promise<void> {
  await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible();
  await page.waitForLoadState('networkidle', { timeout: 5000 }).catch(() => undefined);
}

async function judge(page: Page, name: string): Promise<void> {
  await expectAccessible(page, name);
  await expectNoSidewaysScroll(page, name);
}
