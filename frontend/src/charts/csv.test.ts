import { describe, expect, it } from 'vitest';
import { csvName, toCsv } from './csv';

describe('toCsv', () => {
  it('writes times in UTC, unrounded values and empty gaps', () => {
    const csv = toCsv(
      {
        times: [1_790_000_000, 1_790_000_005],
        series: [
          { id: 'a', label: 'Read', values: [1234.5678, null], kind: 'line' },
          { id: 'b', label: 'Say "hi", all', values: [0, 2], kind: 'line', unit: 'suffix:CPUs' },
        ],
      },
      'binBps',
    );
    expect(csv).toBe(
      'time,Read (B/s),"Say ""hi"", all (CPUs)"\r\n' +
        '2026-09-21T14:13:20.000Z,1234.5678,0\r\n' +
        '2026-09-21T14:13:25.000Z,,2\r\n',
    );
  });
});

describe('csvName', () => {
  it('makes a file name of the title', () => {
    expect(csvName('Disk I/O of the node')).toBe('disk-i-o-of-the-node.csv');
    expect(csvName('…')).toBe('chart.csv');
  });
});
