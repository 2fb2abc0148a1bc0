import '@testing-library/jest-dom/vitest';
import { notifications } from '@mantine/notifications';
import { cleanup } from '@testing-library/react';
import { afterAll, afterEach, beforeAll, vi } from 'vitest';
import { server } from './server';

/** A stream of events that stays open and silent; a test that needs an event brings its own. */
class SilentEventSource extends EventTarget {
  static readonly OPEN = 1;
  static readonly CLOSED = 2;
  readonly readyState = SilentEventSource.OPEN;
  close(): void {
    // Nothing is held open.
  }
}

/** jsdom has no layout, so what asks for it gets an answer that means 'nothing to say'. */
function fillInJsdom(): void {
  vi.stubGlobal('EventSource', SilentEventSource);
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe(): void {
        // Sizes never change in jsdom.
      }
      unobserve(): void {
        // See above.
      }
      disconnect(): void {
        // See above.
      }
    },
  );
  vi.stubGlobal('matchMedia', (query: string) => ({
    matches: false,
    media: query,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
    addListener: () => undefined,
    removeListener: () => undefined,
  }));
  vi.stubGlobal('scrollTo', () => undefined);
  Element.prototype.scrollIntoView = () => undefined;
}

beforeAll(() => {
  fillInJsdom();
  server.listen({ onUnhandledRequest: 'error' });
});

afterEach(() => {
  cleanup();
  // They live outside React, so they would be shown again to the next test.
  notifications.clean();
  server.resetHandlers();
  localStorage.clear();
  sessionStorage.clear();
});

afterAll(() => server.close());
