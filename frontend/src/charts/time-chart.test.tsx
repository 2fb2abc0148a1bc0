import { MantineProvider } from '@mantine/core';
import { act, render, screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { ChartData } from './chart-data';
import { FakePlot } from './fake-uplot';
import type { TimeChartProps } from './time-chart';
import { TimeChart } from './time-chart';

vi.mock('uplot', async () => ({ default: (await import('./fake-uplot')).FakePlot }));

const START = Date.UTC(2026, 10, 21, 12, 0, 0) / 1000;
const DATA: ChartData = {
  times: [START, START + 60, START + 120],
  series: [
    { id: 'read', label: 'Read', kind: 'line', values: [1024, null, 2048] },
    { id: 'written', label: 'Written', kind: 'line', values: [0, 512, 512] },
  ],
};

const PROPS: TimeChartProps = {
  title: 'Disk I/O',
  howToRead: 'Bytes per second.',
  unit: 'binBps',
  yAxis: { from: 'zero' },
  data: DATA,
  start: START,
  end: START + 120,
  zone: 'utc',
  height: 180,
  syncKey: 'page',
  loading: 'no',
  failure: null,
  onRetry: vi.fn(),
  emptyReason: 'The disk was idle.',
  hidden: new Set(),
  onHiddenChange: vi.fn(),
  onZoom: vi.fn(),
  onZoomOut: vi.fn(),
  full: false,
  onFull: vi.fn(),
};

function show(props: Partial<TimeChartProps> = {}) {
  const chart = (more: Partial<TimeChartProps>) => (
    <MantineProvider env="test">
      <TimeChart {...PROPS} {...props} {...more} />
    </MantineProvider>
  );
  const view = render(chart({}));
  return {
    ...view,
    user: userEvent.setup(),
    again: (more: Partial<TimeChartProps>) => view.rerender(chart(more)),
  };
}

/** jsdom's Blob has no text(). */
function textOf(blob: Blob | undefined): Promise<string> {
  return new Promise((resolve) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.readAsText(blob ?? new Blob());
  });
}

beforeEach(() => {
  FakePlot.instances = [];
  vi.clearAllMocks();
});

describe('TimeChart', () => {
  it('gives uPlot the numbers with their gaps and the whole window', () => {
    show();
    const [plot] = FakePlot.living;
    expect(plot?.data).toEqual([
      [START, START + 60, START + 120],
      [1024, null, 2048],
      [0, 512, 512],
    ]);
    expect(plot?.window()).toEqual([START, START + 120]);
  });

  it('is a figure with its title and a summary in one sentence', () => {
    show();
    const figure = screen.getByRole('figure', { name: 'Disk I/O' });
    expect(figure).toHaveAccessibleDescription(
      'Disk I/O: Read last 2.00 KiB/s, min 1.00 KiB/s, max 2.00 KiB/s; Written last 512 B/s, min 0 B/s, max 512 B/s.',
    );
  });

  it('draws new numbers in the same plot and builds another for other lines', () => {
    const { again } = show();
    again({
      data: { ...DATA, times: DATA.times.map((time) => time + 60) },
      start: START + 60,
      end: START + 180,
    });
    expect(FakePlot.instances).toHaveLength(1);
    expect(FakePlot.living[0]?.data[0][0]).toBe(START + 60);
    expect(FakePlot.living[0]?.window()).toEqual([START + 60, START + 180]);
    again({ data: { ...DATA, series: DATA.series.slice(0, 1) } });
    expect(FakePlot.instances).toHaveLength(2);
    expect(FakePlot.living).toHaveLength(1);
  });

  it('moves the cursor by keys and reads the values out politely', async () => {
    const { user } = show();
    const slider = screen.getByRole('slider', { name: /Cursor of Disk I\/O/ });
    slider.focus();
    await user.keyboard('{ArrowLeft}{ArrowLeft}');
    expect(slider).toHaveAttribute('aria-valuetext', '2026-11-21 12:01');
    const spoken = screen.getByText('Read no data, Written 512 B/s');
    expect(spoken).toHaveAttribute('aria-live', 'polite');
    await user.keyboard('{Home}');
    expect(screen.getByText('Read 1.00 KiB/s, Written 0 B/s')).toBeInTheDocument();
    await user.keyboard('{Escape}');
    expect(FakePlot.living[0]?.cursor.idx).toBeNull();
  });

  it('shows the values at the shared cursor in the legend', () => {
    show();
    const legend = screen.getByRole('table', { name: 'Lines of Disk I/O' });
    const row = () => within(legend).getByRole('row', { name: /Written/ });
    expect(row()).toHaveTextContent('512 B/s');
    act(() => FakePlot.living[0]?.point(0));
    expect(within(legend).getByRole('columnheader', { name: '12:00' })).toBeInTheDocument();
    expect(row()).toHaveTextContent(/^Written0 B\/s/);
  });

  it('hides a line by its name and leaves the colours of the others alone', async () => {
    const { user, again } = show();
    const colour = FakePlot.living[0]?.options.series[2]?.stroke;
    await user.click(screen.getByRole('button', { name: 'Read' }));
    expect(PROPS.onHiddenChange).toHaveBeenCalledWith(new Set(['read']));
    again({ hidden: new Set(['read']) });
    const series = FakePlot.living[0]?.options.series;
    expect(series?.map((line) => line.show)).toEqual([undefined, false, true]);
    expect(series?.[2]?.stroke).toBe(colour);
    expect(screen.getByRole('button', { name: 'Read' })).toHaveAttribute('aria-pressed', 'false');
  });

  it('can be viewed as a table, newest first, gaps as dashes', async () => {
    const { user } = show();
    await user.click(screen.getByRole('button', { name: 'Disk I/O as a table' }));
    const table = within(screen.getByRole('region', { name: 'Disk I/O as a table' })).getByRole('table');
    const rows = within(table).getAllByRole('row');
    expect(rows.map((row) => row.textContent)).toEqual([
      'Time (UTC)ReadWritten',
      '2026-11-21 12:02:002.00 KiB/s512 B/s',
      '2026-11-21 12:01:00–512 B/s',
      '2026-11-21 12:00:001.00 KiB/s0 B/s',
    ]);
  });

  it('can be saved as CSV', async () => {
    let saved: Blob | undefined;
    vi.stubGlobal(
      'URL',
      Object.assign(URL, {
        createObjectURL: (blob: Blob) => {
          saved = blob;
          return 'blob:chart';
        },
        revokeObjectURL: () => undefined,
      }),
    );
    const click = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => undefined);
    const { user } = show();
    await user.click(screen.getByRole('button', { name: 'Save Disk I/O as CSV' }));
    expect(click).toHaveBeenCalledOnce();
    expect(await textOf(saved)).toBe(
      'time,Read (B/s),Written (B/s)\r\n' +
        '2026-11-21T12:00:00.000Z,1024,0\r\n' +
        '2026-11-21T12:01:00.000Z,,512\r\n' +
        '2026-11-21T12:02:00.000Z,2048,512\r\n',
    );
  });

  it('names what failed, with status and request id, and tries again', async () => {
    const failure = { sentence: 'The store is not ready.', status: 503, requestId: 'req-7' };
    const { user } = show({ data: { times: [], series: [] }, failure });
    const alert = screen.getByRole('alert');
    expect(alert).toHaveTextContent('The store is not ready.');
    expect(alert).toHaveTextContent('status 503, request req-7');
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    expect(PROPS.onRetry).toHaveBeenCalledOnce();
  });

  it('keeps old numbers on the screen, with their age, when the next ones fail', () => {
    show({ failure: { sentence: 'The store is not ready.', status: 503, requestId: '' } });
    expect(screen.getByRole('alert')).toHaveTextContent('Anything after 2026-11-21 12:02 could not be shown');
    expect(FakePlot.living).toHaveLength(1);
  });

  it('says why it is empty', () => {
    show({ data: { times: [START], series: [{ id: 'a', label: 'A', kind: 'line', values: [null] }] } });
    expect(screen.getByText('The disk was idle.')).toBeInTheDocument();
    expect(FakePlot.living).toHaveLength(0);
  });

  it('shows a placeholder on the first load only', () => {
    const { again, container } = show({ data: { times: [], series: [] }, loading: 'first' });
    expect(screen.getByRole('status')).toHaveTextContent('Loading Disk I/O');
    again({ data: DATA, loading: 'stale' });
    expect(container.querySelector('[data-stale]')).not.toBeNull();
    expect(FakePlot.living).toHaveLength(1);
  });

  it('says how to read it', () => {
    show();
    expect(
      screen.getByRole('button', { name: 'How to read Disk I/O: Bytes per second.' }),
    ).toBeInTheDocument();
  });
});
