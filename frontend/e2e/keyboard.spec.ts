import type { Locator } from '@playwright/test';
import { expect, test } from '@playwright/test';

test('everything on the way to a token can be done with keys alone', async ({ page }) => {
  await page.goto('/');
  await expect(page.getByRole('heading', { name: 'Fleet', level: 1 })).toBeVisible();

  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('main')).toBeFocused();

  await page.keyboard.press('g');
  await page.keyboard.press('s');
  await expect(page).toHaveURL('/settings/agents');
  await expect(page.getByRole('heading', { name: 'Agents', level: 1 })).toBeVisible();
  await expect(page.getByRole('main')).toBeFocused();

  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Enrolment' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL('/settings/enrolment');

  const create = page.getByRole('button', { name: 'Create an enrolment token' });
  await expect(create).toBeVisible();
  for (let presses = 0; presses < 10 && !(await focused(create)); presses += 1)
    await page.keyboard.press('Tab');
  await expect(create).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByText('Waiting for the agent…')).toBeVisible();
});

test('the help lists the keys, Escape closes it, and single keys can be switched off', async ({ page }) => {
  await page.goto('/settings/agents');
  await expect(page.getByRole('heading', { name: 'Agents', level: 1 })).toBeVisible();
  await page.keyboard.press('?');
  const help = page.getByRole('dialog', { name: 'Keys on this page' });
  await expect(help.getByText('Go to the fleet')).toBeVisible();
  await help.getByRole('switch', { name: /^Single keys work/ }).press('Space');
  await page.keyboard.press('Escape');
  await expect(help).toBeHidden();
  await page.keyboard.press('?');
  await page.keyboard.press('g');
  await page.keyboard.press('f');
  await expect(help).toBeHidden();
  await expect(page).toHaveURL('/settings/agents');
});

/** Whether what gets the focus is also what is seen: the fixed header must not lie over it. */
test('the focus is never hidden below the header', async ({ page }) => {
  await page.goto('/settings/enrolment');
  await expect(page.getByRole('heading', { name: 'Enrolment', level: 1 })).toBeVisible();
  await page.setViewportSize({ width: 1440, height: 420 });
  for (let presses = 0; presses < 25; presses += 1) {
    await page.keyboard.press('Tab');
    const covered = await page.evaluate(() => {
      const active = document.activeElement;
      if (active === null || active === document.body) return null;
      const box = active.getBoundingClientRect();
      const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
      return top === null || active.contains(top) || top.contains(active)
        ? null
        : `${active.outerHTML} lies below ${top.outerHTML}`;
    });
    expect(covered).toBeNull();
  }
});

async function focused(locator: Locator): Promise<boolean> {
  return locator.evaluate((element) => element === document.activeElement);
}
