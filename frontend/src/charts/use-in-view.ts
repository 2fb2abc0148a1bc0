import type { RefObject } from 'react';
import { useEffect, useRef, useState } from 'react';

/** A chart counts as in view a little before it is, so that scrolling meets it ready. */
const MARGIN = '200px';

/** Whether the element can be seen: undefined until the browser has said, true where it cannot say. */
export function useInView(): { ref: RefObject<HTMLDivElement | null>; inView: boolean | undefined } {
  const ref = useRef<HTMLDivElement>(null);
  const able = typeof IntersectionObserver !== 'undefined';
  const [inView, setInView] = useState(able ? undefined : true);
  useEffect(() => {
    const target = ref.current;
    if (!(target && able)) return;
    const observer = new IntersectionObserver((entries) => setInView(entries.at(-1)?.isIntersecting), {
      rootMargin: MARGIN,
    });
    observer.observe(target);
    return () => observer.disconnect();
  }, [able]);
  return { ref, inView };
}
