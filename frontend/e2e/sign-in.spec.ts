import { expect, test } from '@playwright/test';
import { expectAccessible, expectNoSidewaysScroll } from './accessibility';
import { environment, SESSION_FILE } from './environment';

test('refuses a wrong password, then lets the owner in to the page asked for', async ({ page }) => {
  const { email, password } = environment();
  await page.goto('/settings/agents');
  await expect(page).toHaveURL(/\/sign-in\?next=\/settings\/agents$/);

  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password', { exact: true }).fill('not the password');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('alert')).toHaveText('The e-mail or the password is wrong.');

  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL('/settings/agents');
  await expect(page.getByRole('heading', { name: 'Agents', level: 1 })).toBeVisible();
  await page.context().storageState({ path: SESSION_FILE });
});

for (const colorScheme of ['light', 'dark'] as const) {
  for (const width of [390, 1440, 1920]) {
    test(`the sign-in page is accessible, ${colorScheme}, ${width} px`, async ({ browser }) => {
      const context = await browser.newContext({ colorScheme, viewport: { width, height: 844 } });
      const page = await context.newPage();
      await page.goto('/sign-in');
      await expect(page.getByRole('heading', { name: 'Sign in to Leadline' })).toBeVisible();
      await expectAccessible(page, 'sign-in');
      await expectNoSidewaysScroll(page, 'sign-in');
      await context.close();
    });
  }
}
