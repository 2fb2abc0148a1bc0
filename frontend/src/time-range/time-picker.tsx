import { ActionIcon, Button, Popover, Select, Tooltip } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { useShortcut } from '@/ui/shortcuts';
import type { Zone } from '@/units/time';
import { formatMoment, formatSpan, zoneName } from '@/units/time';
import { showTimePoint } from './grammar';
import type { Refresh, TimeState } from './range';
import { isLive, PRESETS, REFRESHES, shiftRange, spanOf, zoomOut } from './range';
import { RangeForm } from './range-form';
import { resolutionText } from './step';
import classes from './time-picker.module.css';
import type { TimeControls } from './use-time-controls';

export interface TimePickerProps {
  readonly controls: TimeControls;
  /** Seconds between two points, which the picker says in words. */
  readonly step: number;
  /** Asks again now. */
  readonly onRefresh: () => void;
}

/** The page's time range: presets, typed ends, zone, one window back and forward, zoom out, refresh. */
export function TimePicker({ controls, step, onRefresh }: TimePickerProps) {
  const { state, setRange } = controls;
  const [opened, { close, toggle }] = useDisclosure(false);
  const back = () => setRange(shiftRange(state, -1, unixNow()));
  const forward = () => setRange(shiftRange(state, 1, unixNow()));
  useShortcut('[', 'One time window back', back);
  useShortcut(']', 'One time window forward', () => {
    if (!isLive(state)) forward();
  });
  useShortcut('t', 'Choose the time range', toggle);
  useShortcut('r', 'Refresh the charts', onRefresh);
  return (
    <div className={classes.bar} role="toolbar" aria-label="Time range">
      <IconButton name="One window back" keys="[" onClick={back}>
        <path d="M10 3 5 8l5 5" />
      </IconButton>
      <Popover
        opened={opened}
        onChange={(open) => !open && close()}
        position="bottom-start"
        shadow="md"
        trapFocus
      >
        <Popover.Target>
          <Button variant="default" size="xs" onClick={toggle} aria-expanded={opened} title="t">
            {rangeText(state)}
          </Button>
        </Popover.Target>
        <Popover.Dropdown className={classes.dropdown}>
          <RangeForm controls={controls} onDone={close} />
        </Popover.Dropdown>
      </Popover>
      <IconButton name="One window forward" keys="]" onClick={forward} disabled={isLive(state)}>
        <path d="m6 3 5 5-5 5" />
      </IconButton>
      <IconButton name="Zoom out" onClick={() => setRange(zoomOut(state, unixNow()))}>
        <circle cx="7" cy="7" r="4.5" />
        <path d="M10.5 10.5 14 14M5 7h4" />
      </IconButton>
      <IconButton name="Refresh the charts" keys="r" onClick={onRefresh}>
        <path d="M13 8a5 5 0 1 1-1.6-3.7M13 2.4v2.7h-2.7" />
      </IconButton>
      <RefreshChoice controls={controls} />
      <span className={classes.resolution}>{resolutionText(step)}</span>
    </div>
  );
}

function unixNow(): number {
  return Date.now() / 1000;
}

/** `Last 6 h`, or both ends; the zone stands with it. */
export function rangeText(state: TimeState): string {
  const zone = zoneName(state.zone, unixNow());
  if (isLive(state)) return `Last ${spanText(spanOf(state, unixNow()))} · ${zone}`;
  const from = showTimePoint(state.from, state.zone);
  const to =
    state.to.kind === 'absolute'
      ? endText(state.from, state.to.seconds, state.zone)
      : showTimePoint(state.to, state.zone);
  return `${from} to ${to} · ${zone}`;
}

/** As the presets name it: 24 h, not 1 d. */
function spanText(span: number): string {
  return PRESETS.find(({ seconds }) => seconds === span)?.label ?? formatSpan(span);
}

/** The end of a range within one day needs no second date. */
function endText(from: TimeState['from'], end: number, zone: Zone): string {
  const text = formatMoment(end, zone);
  const [day = ''] = text.split(' ');
  const sameDay = from.kind === 'absolute' && formatMoment(from.seconds, zone).startsWith(day);
  return sameDay ? text.slice(day.length + 1) : text;
}

function RefreshChoice({ controls: { state, setRefresh } }: Pick<TimePickerProps, 'controls'>) {
  return (
    <Select
      aria-label="Refresh"
      size="xs"
      w={104}
      allowDeselect={false}
      disabled={!isLive(state)}
      data={REFRESHES.map((value) => ({ value, label: refreshLabel(value) }))}
      value={state.refresh}
      onChange={(value) => setRefresh(REFRESHES.find((choice) => choice === value) ?? 'auto')}
      comboboxProps={{ width: 140, position: 'bottom-end' }}
    />
  );
}

function refreshLabel(refresh: Refresh): string {
  if (refresh === 'auto') return 'auto';
  return refresh === 'off' ? 'paused' : `every ${refresh}`;
}

interface IconButtonProps {
  readonly name: string;
  readonly keys?: string;
  readonly disabled?: boolean;
  readonly onClick: () => void;
  readonly children: ReactNode;
}

function IconButton({ name, keys, disabled = false, onClick, children }: IconButtonProps) {
  return (
    <Tooltip label={keys ? `${name} (${keys})` : name}>
      <ActionIcon variant="default" size={30} aria-label={name} disabled={disabled} onClick={onClick}>
        <svg
          viewBox="0 0 16 16"
          width="15"
          height="15"
          fill="none"
          stroke="currentColor"
          strokeWidth="1.5"
          strokeLinecap="round"
          strokeLinejoin="round"
          aria-hidden
        >
          {children}
        </svg>
      </ActionIcon>
    </Tooltip>
  );
}
