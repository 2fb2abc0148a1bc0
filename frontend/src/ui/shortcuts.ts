import { useEffect, useRef, useSyncExternalStore } from 'react';

/** One key, or two pressed one after the other: `?`, `/`, `g f`. As `event.key` names them. */
export interface Shortcut {
  keys: string;
  /** What it does, for the help dialog. */
  what: string;
  run: () => void;
}

const STORED_AS = 'leadline.single-keys';
/** A second key counts only shortly after the first. */
const SEQUENCE_MS = 1200;

let shortcuts: readonly Shortcut[] = [];
let enabled = readEnabled();
const listeners = new Set<() => void>();

function readEnabled(): boolean {
  return globalThis.localStorage?.getItem(STORED_AS) !== 'off';
}

function changed(): void {
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Makes a key work while the calling component is on the page. It is off while a person types, and when single keys are switched off. */
export function useShortcut(keys: string, what: string, run: () => void): void {
  const latest = useRef(run);
  useEffect(() => {
    latest.current = run;
  });
  useEffect(() => {
    const shortcut: Shortcut = { keys, what, run: () => latest.current() };
    shortcuts = [...shortcuts, shortcut];
    changed();
    return () => {
      shortcuts = shortcuts.filter((other) => other !== shortcut);
      changed();
    };
  }, [keys, what]);
}

/** The keys that work on this page now. */
export function useShortcutList(): readonly Shortcut[] {
  return useSyncExternalStore(subscribe, () => shortcuts);
}

/** Whether single keys work, and the switch for it (WCAG 2.1.4). This browser remembers it. */
export function useSingleKeys(): [on: boolean, set: (on: boolean) => void] {
  const on = useSyncExternalStore(subscribe, () => enabled);
  return [on, setSingleKeys];
}

function setSingleKeys(on: boolean): void {
  enabled = on;
  if (on) localStorage.removeItem(STORED_AS);
  else localStorage.setItem(STORED_AS, 'off');
  changed();
}

/** Listens for the keys; called once, by the shell. */
export function useShortcutKeys(): void {
  useEffect(() => {
    let first: { key: string; at: number } | undefined;
    function onKeyDown(event: KeyboardEvent) {
      if (!enabled || !isPlainKey(event) || isTyping(event.target)) return;
      const sequence =
        first !== undefined && event.timeStamp - first.at < SEQUENCE_MS ? `${first.key} ${event.key}` : '';
      const match = find(sequence) ?? find(event.key);
      first = { key: event.key, at: event.timeStamp };
      if (match === undefined) return;
      first = undefined;
      event.preventDefault();
      match.run();
    }
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
}

/** The one registered last wins: a page may give a key its own meaning. */
function find(keys: string): Shortcut | undefined {
  return shortcuts.findLast((shortcut) => shortcut.keys === keys);
}

function isPlainKey(event: KeyboardEvent): boolean {
  return !(event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing);
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.isContentEditable ||
    target.closest('input, textarea, select, [role="dialog"], [role="menu"]') !== null
  );
}
