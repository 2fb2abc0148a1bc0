import { Button } from '@mantine/core';
import { useIsFetching, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { Service } from '@/api/services';
import { LoadOrder } from '@/charts/load-order';
import { QueryChart } from '@/charts/query-chart';
import { absoluteRange, isLive, zoomOut } from '@/time-range/range';
import type { Window } from '@/time-range/step';
import { rateWindow } from '@/time-range/step';
import { TimePicker } from '@/time-range/time-picker';
import type { TimeControls } from '@/time-range/use-time-controls';
import { useTimeControls } from '@/time-range/use-time-controls';
import { useTimeWindow } from '@/time-range/use-time-window';
import { useShortcut } from '@/ui/shortcuts';
import { emptyReason } from './empty-reason';
import type { Panel } from './panel';
import { PANELS } from './panels';
import classes from './service-page.module.css';
import type { ServiceSearch } from './service-search';
import { hiddenOf, withHidden } from './service-search';
import { useSlowThreshold } from './slow-threshold';
import { useGridWidth } from './use-grid-width';
import { useShownTime } from './use-shown-time';

/** The eight charts, always in this order, under one time range and one cursor. */
export function ServiceCharts({ service }: { service: Service }) {
  const search = useSearch({ from: '/shell/services/$slug' });
  const queryClient = useQueryClient();
  const chosen = search.from !== undefined || search.to !== undefined;
  const controls = useShownTime(useTimeControls(), chosen, service);
  const full = PANELS.find((panel) => panel.id === search.panel);
  const grid = useGridWidth(full !== undefined);
  const { window, moveToNow } = useTimeWindow(controls.state, grid.plotWidth ?? 0);
  const refresh = () => {
    moveToNow();
    void queryClient.invalidateQueries({ queryKey: ['metrics'] });
  };
  return (
    <section aria-label="Charts">
      <div className={classes.toolbar}>
        <TimePicker controls={controls} step={window.step} onRefresh={refresh} />
        <Fetching />
      </div>
      {full ? <FullScreenBar panel={full} /> : null}
      <div ref={grid.ref} className={classes.grid} data-full={full !== undefined || undefined}>
        {grid.plotWidth === null ? null : (
          <LoadOrder turn={`${window.start} ${window.end} ${window.step}`}>
            {(full ? [full] : PANELS).map((panel) => (
              <PanelChart
                key={panel.id}
                panel={panel}
                service={service}
                window={window}
                controls={controls}
                full={full !== undefined}
              />
            ))}
          </LoadOrder>
        )}
      </div>
    </section>
  );
}

/** A thin line below the toolbar, which its style shows only after a moment. */
function Fetching() {
  const busy = useIsFetching({ queryKey: ['metrics'] }) > 0;
  return <div className={classes.fetching} data-busy={busy || undefined} aria-hidden />;
}

function FullScreenBar({ panel }: { panel: Panel }) {
  const navigate = useNavigate({ from: '/services/$slug' });
  const leave = () =>
    void navigate({ search: ({ panel: _before, ...others }) => others, resetScroll: false });
  useShortcut('Escape', 'Back to all charts', leave);
  return (
    <Button
      variant="subtle"
      size="compact-sm"
      onClick={leave}
      aria-label={`Leave ${panel.title}: all charts`}
    >
      ← All charts
    </Button>
  );
}

interface PanelChartProps {
  readonly panel: Panel;
  readonly service: Service;
  readonly window: Window;
  readonly controls: TimeControls;
  readonly full: boolean;
}

const HEIGHT = 180;
/** What stands above and below a chart that fills the page, in CSS pixels. */
const AROUND_FULL = 380;
const LOWEST_FULL = 320;

function PanelChart({ panel, service, window, controls, full }: PanelChartProps) {
  const search = useSearch({ from: '/shell/services/$slug' });
  const navigate = useNavigate({ from: '/services/$slug' });
  const { state, setRange } = controls;
  const set = (next: ServiceSearch, replace: boolean) =>
    void navigate({ search: next, replace, resetScroll: false });
  const { panel: _shown, ...others } = search;
  return (
    <QueryChart
      id={panel.id}
      title={panel.title}
      howToRead={panel.howToRead}
      note={panel.id === 'slow' ? <SlowNote service={service} live={isLive(state)} window={window} /> : null}
      unit={panel.unit}
      yAxis={panel.yAxis}
      colours={panel.colours}
      query={panel.query({ service: service.slug, node: service.node }, rateWindow(window.step))}
      toSeries={panel.toSeries}
      window={window}
      zone={state.zone}
      height={full ? Math.max(LOWEST_FULL, globalThis.innerHeight - AROUND_FULL) : HEIGHT}
      syncKey={`service ${service.slug}`}
      emptyReason={emptyReason(panel, service, window, state.zone)}
      hidden={hiddenOf(search, panel.id)}
      onHiddenChange={(hidden) => set(withHidden(search, panel.id, hidden), true)}
      onZoom={(from, to) => setRange(absoluteRange(from, to))}
      onZoomOut={() => setRange(zoomOut(state, Date.now() / 1000))}
      full={full}
      onFull={(wanted) => set(wanted ? { ...others, panel: panel.id } : others, false)}
    />
  );
}

function SlowNote({ service, live, window }: { service: Service; live: boolean; window: Window }) {
  const text = useSlowThreshold(service.slug, live ? null : window.end);
  return <>{text}</>;
}
