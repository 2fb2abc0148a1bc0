import { defineConfig, devices } from '@playwright/test';
import { SESSION_FILE } from './e2e/environment';

const desktop = { ...devices['Desktop Chrome'], viewport: { width: 1440, height: 900 } };
// Chromium at a phone's size: no other browser is installed.
const phone = { ...devices['Desktop Chrome'], viewport: { width: 390, height: 844 }, hasTouch: true };
const signedIn = { storageState: SESSION_FILE };

const screens = (['light', 'dark'] as const).flatMap((colorScheme) =>
  Object.entries({ desktop, phone }).map(([size, device]) => ({
    name: `${size} ${colorScheme}`,
    testMatch: 'screens.spec.ts',
    dependencies: ['walk'],
    use: { ...device, ...signedIn, colorScheme },
  })),
);

const picture = {
  name: 'picture',
  testMatch: 'picture.spec.ts',
  dependencies: screens.map(({ name }) => name),
  use: { ...desktop, ...signedIn, viewport: { width: 1440, height: 1240 } },
};

/** Against the running product; see e2e/environment.ts for what it must be told. */
export default defineConfig({
  testDir: 'e2e',
  forbidOnly: true,
  // One browser at a time: the product shares the machine with it.
  workers: 1,
  retries: 0,
  timeout: 60_000,
  reporter: process.env['PLAYWRIGHT_JSON_OUTPUT_NAME'] ? [['list'], ['json']] : [['list']],
  use: {
    // The specs themselves say what is missing; tools that only read this file need nothing set.
    baseURL: process.env['LEADLINE_E2E_URL'] ?? '',
    // Debian's own browser: a browser that a package downloads cannot be had everywhere.
    launchOptions: { executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] },
    ignoreHTTPSErrors: true,
    screenshot: 'only-on-failure',
    trace: 'retain-on-failure',
    reducedMotion: 'reduce',
  },
  projects: [
    { name: 'sign in', testMatch: 'sign-in.spec.ts', use: desktop },
    { name: 'walk', testMatch: 'walk.spec.ts', dependencies: ['sign in'], use: { ...desktop, ...signedIn } },
    {
      name: 'keyboard',
      testMatch: 'keyboard.spec.ts',
      dependencies: ['sign in'],
      use: { ...desktop, ...signedIn },
    },
    ...screens,
    ...(process.env['LEADLINE_E2E_SCREENSHOTS'] ? [picture] : []),
  ],
});
