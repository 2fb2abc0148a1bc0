import { useEffect, useState } from 'react';
import { formatAgo, formatSpan } from '@/units/time';

export interface RelativeTimeProps {
  /** ISO 8601. */
  at: string;
}

/** A moment told from now, counting along; the exact local time stands in its title. */
export function RelativeTime({ at }: RelativeTimeProps) {
  const now = useNow(1000) / 1000;
  const moment = new Date(at);
  const seconds = moment.getTime() / 1000;
  return (
    <time dateTime={at} title={moment.toLocaleString()}>
      {seconds > now + 1 ? `in ${formatSpan(seconds - now)}` : formatAgo(seconds, now)}
    </time>
  );
}

/** The wall clock in Unix milliseconds, read again every `everyMs`. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
