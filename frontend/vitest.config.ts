import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  plugins: [react()],
  resolve: { tsconfigPaths: true },
  test: {
    environment: 'jsdom',
    include: ['src/**/*.test.{ts,tsx}'],
    setupFiles: ['src/testing/setup.ts'],
    // CSS modules keep their class names so that a test can see which one applies; the styles themselves are not needed.
    css: { modules: { classNameStrategy: 'non-scoped' } },
    restoreMocks: true,
    slowTestThreshold: 1000,
  },
});
