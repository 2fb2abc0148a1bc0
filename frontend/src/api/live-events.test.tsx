import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { renderHook } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { useLiveEvents } from './live-events';

class FakeEventSource extends EventTarget {
  static readonly CONNECTING = 0;
  static readonly OPEN = 1;
  static readonly CLOSED = 2;
  static all: FakeEventSource[] = [];
  readyState = FakeEventSource.CONNECTING;
  readonly url: string;
  constructor(url: string) {
    super();
    this.url = url;
    FakeEventSource.all.push(this);
  }
  become(state: number, event: string): void {
    this.readyState = state;
    this.dispatchEvent(new Event(event));
  }
  close(): void {
    this.readyState = FakeEventSource.CLOSED;
  }
}

const before = globalThis.EventSource;
let refreshed: string[];

function start() {
  const queryClient = new QueryClient();
  vi.spyOn(queryClient, 'invalidateQueries').mockImplementation(async (filters) => {
    refreshed.push(String(filters?.queryKey?.[0]));
  });
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>
  );
  return renderHook(() => useLiveEvents(), { wrapper });
}

function stream(index = -1): FakeEventSource {
  const found = FakeEventSource.all.at(index);
  if (found === undefined) throw new Error('no stream was opened');
  return found;
}

beforeEach(() => {
  vi.useFakeTimers();
  refreshed = [];
  FakeEventSource.all = [];
  vi.stubGlobal('EventSource', FakeEventSource);
});

afterEach(() => {
  vi.useRealTimers();
  vi.stubGlobal('EventSource', before);
});

describe('useLiveEvents', () => {
  it('asks again only for what an event concerns, once for many events', () => {
    start();
    stream().become(FakeEventSource.OPEN, 'open');
    vi.advanceTimersByTime(1000);
    refreshed = [];
    for (let count = 0; count < 200; count += 1) stream().dispatchEvent(new Event('service'));
    vi.advanceTimersByTime(1000);
    expect(refreshed.toSorted()).toEqual(['agents', 'fleet', 'services']);
  });

  it('asks for everything when the stream is back: what happened meanwhile was not told', () => {
    start();
    stream().become(FakeEventSource.OPEN, 'open');
    vi.advanceTimersByTime(1000);
    expect(refreshed).toEqual(expect.arrayContaining(['agents', 'fleet', 'nodes', 'services']));
  });

  it('polls while there is no stream, and not while there is one', () => {
    start();
    vi.advanceTimersByTime(11_000);
    expect(refreshed).toContain('fleet');
    stream().become(FakeEventSource.OPEN, 'open');
    vi.advanceTimersByTime(2000);
    refreshed = [];
    vi.advanceTimersByTime(60_000);
    expect(refreshed).toEqual([]);
  });

  it('opens a new stream after the server refused one', () => {
    start();
    stream().become(FakeEventSource.CLOSED, 'error');
    expect(FakeEventSource.all).toHaveLength(1);
    vi.advanceTimersByTime(15_000);
    expect(FakeEventSource.all).toHaveLength(2);
  });

  it('closes the stream with the page', () => {
    const { unmount } = start();
    stream().become(FakeEventSource.OPEN, 'open');
    unmount();
    expect(stream().readyState).toBe(FakeEventSource.CLOSED);
  });
});
