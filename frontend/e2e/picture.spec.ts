import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { IMAGES } from './environment';

/** Runs last and only with LEADLINE_E2E_SCREENSHOTS set: by then the demo has a few minutes of history to show. */
test('the picture of the service page in the README', async ({ page }) => {
  await page.goto('/services/demo?from=now-2m');
  await expect(page.getByRole('figure').first()).toBeVisible();
  const notice = page.getByRole('button', { name: 'Hide this notice' });
  if (await notice.isVisible()) await notice.click();
  // Numbers below each chart: the last of them to come is the last panel in view.
  await expect(page.getByRole('figure', { name: 'Buffer pool hits' }).getByRole('table')).toBeVisible();
  await page.screenshot({ path: join(IMAGES, 'service.png') });
});
