import type { Page } from '@playwright/test';
import { expect } from '@playwright/test';
import type { AxeResults } from 'axe-core';
import axe from 'axe-core';

/** WCAG 2.2 AA as far as a machine can judge it: nothing serious or critical. */
export async function expectAccessible(page: Page, screen: string): Promise<void> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate((): Promise<AxeResults> => {
    const judge = (globalThis as unknown as { axe: typeof axe }).axe;
    return judge.run(document, { resultTypes: ['violations'] });
  });
  const grave = violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, help, nodes }) => ({ id, help, at: nodes.map(({ target }) => target.join(' ')) }));
  expect(grave, `findings of axe on ${screen}`).toEqual([]);
}

/** Nobody should have to scroll sideways to read a page. */
export async function expectNoSidewaysScroll(page: Page, screen: string): Promise<void> {
  const beyond = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(beyond, `pixels of ${screen} beyond the window`).toBeLessThanOrEqual(0);
}
