import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { expect, test } from '@playwright/test';
import { Agent } from './agent';
import { DatabaseProbe } from './database';

const NODE = 'e2e-host';
const SERVICE = 'e2e-mariadb';
/** How long both sides count before they are compared. */
const COMPARED_SECONDS = 60;
/** The question's own rate, on top of whatever else the server does. */
const PER_SECOND = 25;
const ALLOWED = 0.05;
/** More than any rate on the page looks back at this range. */
const LOOK_BACK_SECONDS = 30;

test('a second agent, from the token to a chart that tells the truth', async ({ page }) => {
  test.setTimeout(300_000);
  const agent = await Agent.create(NODE);
  try {
    await enrol(page, agent);
    await agent.addDatabase(SERVICE);
    await expectInFleet(page);
    await expectTruth(page);
    await agent.remove(SERVICE);
    await revoke(page);
  } finally {
    const said = await agent.stop();
    await test.info().attach('the end of what the agent said', { body: said, contentType: 'text/plain' });
  }
});

async function enrol(page: Page, agent: Agent): Promise<void> {
  await page.goto('/settings/enrolment');
  await page.getByRole('button', { name: 'Create an enrolment token' }).click();
  const token = (await page.getByText(/^lle_\S{20,}$/).textContent()) ?? '';
  await expect(page.getByText(/^bin\/leadline-agent enroll --server http/)).not.toContainText(token);
  await expect(page.getByText('Waiting for the agent…')).toBeVisible();
  await agent.enrol(token);
  agent.start();
  // The page hears of it by itself: nothing is reloaded here.
  await expect(page.getByText(`Agent ${agent.node} connected`)).toBeVisible({ timeout: 45_000 });
}

async function expectInFleet(page: Page): Promise<void> {
  await page.goto('/');
  const row = page.getByRole('row').filter({ hasText: SERVICE });
  await expect(row).toContainText('Up', { timeout: 45_000 });
  await page.getByRole('link', { name: SERVICE }).click();
  await expect(page).toHaveURL(new RegExp(`/services/${SERVICE}`));
}

/** The page's statements per second against what the server itself counted in the same minute. */
async function expectTruth(page: Page): Promise<void> {
  const probe = await DatabaseProbe.open();
  const [before, after] = await probe.askFor(COMPARED_SECONDS, PER_SECOND);
  await probe.close();
  const truth = (after.questions - before.questions) / (after.at - before.at);

  await page.goto(`/services/${SERVICE}?from=now-15m`);
  let shown = { mean: Number.NaN, points: 0 };
  await expect(async () => {
    shown = await meanShown(page, before.at, after.at);
    expect(shown.points).toBeGreaterThanOrEqual((COMPARED_SECONDS - LOOK_BACK_SECONDS) / 10);
    expect(Math.abs(shown.mean / truth - 1), `shown ${shown.mean}/s, counted ${truth}/s`).toBeLessThan(
      ALLOWED,
    );
  }).toPass({ timeout: 40_000, intervals: [2000] });
  test.info().annotations.push({
    type: 'statements per second',
    description: `shown ${shown.mean.toFixed(3)} over ${shown.points} points, counted ${truth.toFixed(3)}`,
  });

  await page.getByRole('button', { name: 'Statements as a table', exact: true }).click();
  const table = page.getByRole('region', { name: 'Statements as a table', exact: true });
  await expect(table.getByRole('columnheader', { name: 'All (Questions)' })).toBeVisible();
  await page.getByRole('button', { name: 'Statements as a chart', exact: true }).click();
}

/** Reads the chart as the CSV that it saves: the numbers as drawn, not rounded. */
async function meanShown(page: Page, from: number, to: number): Promise<{ mean: number; points: number }> {
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save Statements as CSV', exact: true }).click();
  const text = await readFile(await (await download).path(), 'utf8');
  const [head = '', ...lines] = text.trim().split('\r\n');
  const column = head.split(',').findIndex((name) => name.includes('All (Questions)'));
  expect(column, `a column of all statements in: ${head}`).toBeGreaterThan(0);
  const values = lines
    .map((line) => line.split(','))
    // A point tells of the time before it, so the first ones after the start still hold some of what was before.
    .filter(
      ([time = '']) => Date.parse(time) / 1000 > from + LOOK_BACK_SECONDS && Date.parse(time) / 1000 <= to,
    )
    .map((fields) => fields[column] ?? '')
    .filter((field) => field !== '')
    .map(Number);
  return { mean: values.reduce((sum, value) => sum + value, 0) / values.length, points: values.length };
}

async function revoke(page: Page): Promise<void> {
  await page.goto('/settings/agents');
  await page.getByRole('button', { name: `Revoke the agent of ${NODE}` }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox').fill(NODE);
  await dialog.getByRole('button', { name: 'Revoke' }).click();
  await expect(page.getByText(`The agent of ${NODE} is revoked.`)).toBeVisible();
  await expect(page.getByRole('row').filter({ hasText: NODE })).toHaveCount(0);
}
