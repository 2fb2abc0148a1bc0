import { Button, CopyButton, SegmentedControl, TextInput } from '@mantine/core';
import type { FormEvent } from 'react';
import { useState } from 'react';
import { zoneName } from '@/units/time';
import { parseTimePoint, showTimePoint, writeTimePoint } from './grammar';
import type { TimeState } from './range';
import { isLive, lastRange, PRESETS, pinRange, rangeProblem, spanOf, writeTimeSearch } from './range';
import classes from './time-picker.module.css';
import type { TimeControls } from './use-time-controls';

export interface RangeFormProps {
  readonly controls: TimeControls;
  readonly onDone: () => void;
}

/** What opens below the time button. */
export function RangeForm({ controls, onDone }: RangeFormProps) {
  const { state, setRange, setZone } = controls;
  const span = isLive(state) ? spanOf(state, unixNow()) : null;
  return (
    <div className={classes.form}>
      <fieldset className={classes.presets}>
        <legend className={classes.legend}>Last</legend>
        {PRESETS.map(({ label, seconds }) => (
          <Button
            key={label}
            size="compact-sm"
            variant={span === seconds ? 'filled' : 'default'}
            aria-pressed={span === seconds}
            onClick={() => {
              setRange(lastRange(seconds));
              onDone();
            }}
          >
            {label}
          </Button>
        ))}
      </fieldset>
      <TypedRange
        // The other zone writes the same moments in other words.
        key={`${state.zone} ${writeTimePoint(state.from)} ${writeTimePoint(state.to)}`}
        controls={controls}
        onDone={onDone}
      />
      <div className={classes.row}>
        <SegmentedControl
          size="xs"
          aria-label="Time zone"
          value={state.zone}
          onChange={(value) => setZone(value === 'utc' ? 'utc' : 'browser')}
          data={[
            { value: 'browser', label: `Browser (${zoneName('browser', unixNow())})` },
            { value: 'utc', label: 'UTC' },
          ]}
        />
      </div>
      <CopyButton value={absoluteLink(state)} timeout={2500}>
        {({ copied, copy }) => (
          <Button size="xs" variant="default" onClick={copy} fullWidth>
            <span aria-live="polite">{copied ? 'Link copied' : 'Copy a link to exactly this window'}</span>
          </Button>
        )}
      </CopyButton>
    </div>
  );
}

function unixNow(): number {
  return Date.now() / 1000;
}

function TypedRange({ controls: { state, setRange }, onDone }: RangeFormProps) {
  const [from, setFrom] = useState(showTimePoint(state.from, state.zone));
  const [to, setTo] = useState(showTimePoint(state.to, state.zone));
  const [asked, setAsked] = useState(false);
  const reading = readTyped(from, to, state);
  function apply(event: FormEvent) {
    event.preventDefault();
    setAsked(true);
    if (!reading.range) return;
    setRange(reading.range);
    onDone();
  }
  return (
    <form onSubmit={apply} className={classes.typed} noValidate>
      <TextInput
        size="xs"
        label="From"
        description="now-3h or 2026-11-20 14:00"
        value={from}
        error={asked && reading.fromError}
        onChange={(event) => setFrom(event.currentTarget.value)}
      />
      <TextInput
        size="xs"
        label="To"
        description="now or 2026-11-20 16:00"
        value={to}
        error={asked && reading.toError}
        onChange={(event) => setTo(event.currentTarget.value)}
      />
      <Button type="submit" size="xs">
        Show this range
      </Button>
    </form>
  );
}

/** The typed ends as a range, or what is wrong with each. */
function readTyped(from: string, to: string, state: TimeState) {
  const start = parseTimePoint(from, state.zone);
  const end = parseTimePoint(to, state.zone);
  const unclear = (name: string) => `${name} is neither now-3h nor 2026-11-20 14:00.`;
  if (!(start && end)) {
    return {
      range: null,
      fromError: start ? null : unclear('From'),
      toError: end ? null : unclear('To'),
    };
  }
  const range = { from: start, to: end };
  const problem = rangeProblem(range, unixNow());
  return { range: problem ? null : range, fromError: problem, toError: null };
}

/** The page's address with both ends as moments. */
function absoluteLink(state: TimeState): string {
  const address = new URL(globalThis.location.href);
  const pinned = writeTimeSearch({ ...state, ...pinRange(state, unixNow()) });
  for (const name of ['from', 'to'] as const) {
    const value = pinned[name];
    if (value !== undefined) address.searchParams.set(name, value);
  }
  address.searchParams.delete('refresh');
  return address.href;
}
