import { notifications } from '@mantine/notifications';
import { unknownNames } from './search-params';

type Validate<Search extends object> = (raw: Record<string, unknown>) => Search;

/**
 * A route's validator that also says what it left out. The router takes the same names out of the address by itself,
 * before any component could compare the two, so this is the one place where they can still be seen.
 */
export function sayingWhatIsDropped<Search extends object>(validate: Validate<Search>): Validate<Search> {
  return (raw) => {
    const search = validate(raw);
    const dropped = unknownNames(raw, search);
    // Not at once: the router also validates while it renders links.
    if (dropped.length > 0) queueMicrotask(() => notice(dropped));
    return search;
  };
}

/** For a page whose address carries nothing. */
export const nothing = sayingWhatIsDropped(() => ({}));

function notice(dropped: readonly string[]): void {
  notifications.show({
    // The same id is shown once, however often the router looks at the address.
    id: `dropped-params ${dropped.join(' ')}`,
    title: 'Part of this address was left out',
    message: `This page does not know, or cannot read: ${dropped.join(', ')}.`,
  });
}
