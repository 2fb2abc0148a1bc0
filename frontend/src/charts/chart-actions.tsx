import { ActionIcon, Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Unit } from '@/units/units';
import type { ChartData } from './chart-data';
import { csvName, toCsv } from './csv';

export interface ChartActionsProps {
  readonly title: string;
  readonly howToRead: string;
  readonly data: ChartData;
  readonly unit: Unit;
  readonly asTable: boolean;
  readonly onAsTable: (asTable: boolean) => void;
  readonly full: boolean;
  readonly onFull: (full: boolean) => void;
}

/** How to read the chart, and its other shapes: table, file, full screen. */
export function ChartActions(props: ChartActionsProps) {
  const { title, howToRead, asTable, full } = props;
  return (
    <>
      <Tooltip label={howToRead} multiline w={280} events={{ hover: true, focus: true, touch: true }}>
        <ActionIcon variant="subtle" color="gray" size={26} aria-label={`How to read ${title}: ${howToRead}`}>
          <Glyph>
            <circle cx="8" cy="8" r="6.2" />
            <path d="M8 7.4v3.6M8 4.9v.2" />
          </Glyph>
        </ActionIcon>
      </Tooltip>
      <Action
        name={asTable ? `${title} as a chart` : `${title} as a table`}
        tip={asTable ? 'View as chart' : 'View as table'}
        pressed={asTable}
        onClick={() => props.onAsTable(!asTable)}
      >
        <path d="M2 3.2h12v9.6H2zM2 6.4h12M2 9.6h12M6.4 3.2v9.6" />
      </Action>
      <Action
        name={`Save ${title} as CSV`}
        tip="Save as CSV"
        onClick={() => saveText(csvName(title), toCsv(props.data, props.unit))}
      >
        <path d="M8 2v7.6M4.8 6.8 8 10l3.2-3.2M2.6 13.4h10.8" />
      </Action>
      <Action
        name={full ? `Leave full screen of ${title}` : `${title} in full screen`}
        tip={full ? 'All charts' : 'Full screen'}
        pressed={full}
        onClick={() => props.onFull(!full)}
      >
        {full ? (
          <path d="M6.4 2v4.4H2M9.6 14V9.6H14M6.4 6.4 2.2 2.2M9.6 9.6l4.2 4.2" />
        ) : (
          <path d="M9.6 2H14v4.4M6.4 14H2V9.6M14 2 9.4 6.6M2 14l4.6-4.6" />
        )}
      </Action>
    </>
  );
}

interface ActionProps {
  readonly name: string;
  readonly tip: string;
  readonly pressed?: boolean;
  readonly onClick: () => void;
  readonly children: ReactNode;
}

function Action({ name, tip, pressed, onClick, children }: ActionProps) {
  return (
    <Tooltip label={tip}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={26}
        aria-label={name}
        {...(pressed === undefined ? {} : { 'aria-pressed': pressed })}
        onClick={onClick}
      >
        <Glyph>{children}</Glyph>
      </ActionIcon>
    </Tooltip>
  );
}

function Glyph({ children }: { children: ReactNode }) {
  return (
    <svg
      viewBox="0 0 16 16"
      width="15"
      height="15"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.4"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden
    >
      {children}
    </svg>
  );
}

function saveText(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
