import { UnstyledButton } from '@mantine/core';
import type { FleetAnswer } from '@/api/fleet';
import { StatusMark } from '@/ui/status-mark';
import classes from './fleet-page.module.css';
import type { FleetSearch } from './fleet-search';
import { STATES } from './fleet-search';

export interface FleetCountsProps {
  readonly counts: FleetAnswer['counts'];
  readonly search: FleetSearch;
  readonly onChange: (search: FleetSearch) => void;
}

/** How many services are in each state; pressing one shows only those, pressing it again all. */
export function FleetCounts({ counts, search, onChange }: FleetCountsProps) {
  return (
    <fieldset className={classes.counts} aria-label="Services by state">
      {STATES.map((state) => {
        const pressed = search.state === state;
        const { state: _state, ...others } = search;
        return (
          <UnstyledButton
            key={state}
            className={classes.count}
            aria-pressed={pressed}
            disabled={counts[state] === 0 && !pressed}
            onClick={() => onChange(pressed ? others : { ...others, state })}
          >
            <StatusMark state={state} />
            <strong>{counts[state]}</strong>
          </UnstyledButton>
        );
      })}
    </fieldset>
  );
}
