import { Autocomplete, Button, Kbd, Select, TextInput } from '@mantine/core';
import { useDebouncedCallback, useDisclosure } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import type { FleetRow } from '@/api/fleet';
import { useShortcut, useSingleKeys } from '@/ui/shortcuts';
import classes from './fleet-page.module.css';
import type { FleetSearch } from './fleet-search';

export interface FleetFiltersProps {
  readonly search: FleetSearch;
  readonly onChange: (search: FleetSearch) => void;
  /** Loaded rows: their environments and clusters are offered. */
  readonly rows: readonly FleetRow[];
}

const ENGINES = ['mysql', 'mariadb', 'mongodb', 'proxysql', 'exporter'];
const TYPING_MS = 250;

type TextFilter = 'q' | 'environment' | 'cluster';

/** Search and filters; all of them are in the address. */
export function FleetFilters({ search, onChange, rows }: FleetFiltersProps) {
  const [open, { toggle }] = useDisclosure(false);
  const set = (name: keyof FleetSearch, value: string | null) => {
    const { [name]: _before, ...others } = search;
    onChange(value ? { ...others, [name]: value } : others);
  };
  const chosen = [search.engine, search.environment, search.cluster].filter(Boolean).length;
  const some = Object.keys(search).length > 0;
  return (
    <search className={classes.filters}>
      <SearchBox search={search} onChange={(value) => set('q', value)} />
      <Button
        className={classes.unfold ?? ''}
        size="sm"
        variant="default"
        aria-expanded={open}
        onClick={toggle}
      >
        Filters{chosen > 0 ? ` (${chosen})` : ''}
      </Button>
      <div className={classes.choices} data-open={open || undefined}>
        <Select
          aria-label="Engine"
          placeholder="Any engine"
          data={ENGINES}
          value={search.engine ?? null}
          onChange={(value) => set('engine', value)}
          clearable
        />
        <WordFilter name="environment" search={search} rows={rows} onChange={set} />
        <WordFilter name="cluster" search={search} rows={rows} onChange={set} />
        {some ? (
          <Button variant="subtle" size="sm" onClick={() => onChange({})}>
            Clear filters
          </Button>
        ) : null}
      </div>
    </search>
  );
}

function SearchBox({ search, onChange }: { search: FleetSearch; onChange: (value: string) => void }) {
  const box = useRef<HTMLInputElement>(null);
  const [keys] = useSingleKeys();
  const { text, type } = useTyped(search.q ?? '', onChange);
  useShortcut('/', 'Search the fleet', () => box.current?.focus());
  return (
    <TextInput
      ref={box}
      className={classes.search ?? ''}
      type="search"
      aria-label="Search by name, address or node"
      placeholder="Name, address or node"
      value={text}
      onChange={(event) => type(event.currentTarget.value)}
      onKeyDown={(event) => event.key === 'Escape' && box.current?.blur()}
      rightSection={keys && text === '' ? <Kbd size="xs">/</Kbd> : null}
    />
  );
}

interface WordFilterProps {
  readonly name: Exclude<TextFilter, 'q'>;
  readonly search: FleetSearch;
  readonly rows: readonly FleetRow[];
  readonly onChange: (name: TextFilter, value: string) => void;
}

/** Any word may be typed: what is loaded is offered, but the fleet is larger than that. */
function WordFilter({ name, search, rows, onChange }: WordFilterProps) {
  const { text, type } = useTyped(search[name] ?? '', (value) => onChange(name, value));
  const offered = [...new Set(rows.map((row) => row[name]).filter(Boolean))].sort();
  return (
    <Autocomplete
      aria-label={name === 'cluster' ? 'Cluster' : 'Environment'}
      placeholder={`Any ${name}`}
      data={offered}
      value={text}
      onChange={type}
      clearable
    />
  );
}

/** What is typed shows at once and reaches the address when the typing rests; an address from elsewhere wins. */
function useTyped(value: string, onRest: (value: string) => void) {
  const [text, setText] = useState(value);
  const sent = useRef(value);
  const rest = useDebouncedCallback((next: string) => {
    sent.current = next;
    onRest(next);
  }, TYPING_MS);
  useEffect(() => {
    if (value === sent.current) return;
    sent.current = value;
    setText(value);
  }, [value]);
  return {
    text,
    type: (next: string) => {
      setText(next);
      rest(next);
    },
  };
}
