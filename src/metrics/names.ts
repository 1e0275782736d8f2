/**
 * What is scraped: one table of every metric with its meaning, from which the registry, `docs/metrics.md` and the checks of
 * dashboards are made. It holds no values. Base units; the number of series is constant, whatever the clients do.
 */

/** Whose figures they are. A replica exports `receivers`, the coordinator `publisher` and `verdict`, a run in one process all. */
export type MetricOwner = 'receivers' | 'publisher' | 'verdict' | 'every'

export interface MetricRow {
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly owner: MetricOwner
  /** Besides `replica`, which every series carries. */
  readonly labels?: readonly string[]
  readonly help: string
  readonly normal: string
  readonly deviation: string
}

export const metricsTable = {
  fanfare_run_info: {
    type: 'gauge',
    owner: 'every',
    labels: ['run_id', 'protocol', 'injector', 'version'],
    help: 'Always 1; the labels say which run this is.',
    normal: '1',
    deviation: 'a new `run_id` is a new run: counters start again',
  },
  fanfare_run_phase: {
    type: 'gauge',
    owner: 'every',
    labels: ['phase'],
    help: '1 for the phase the run is in, 0 for the others.',
    normal: 'moves forward only',
    deviation: 'long in `connect` or `ready`: the target accepts or acknowledges slowly; long in `drain`: there is a queue to empty',
  },
  fanfare_run_verdict: {
    type: 'gauge',
    owner: 'verdict',
    labels: ['outcome'],
    help: '1 for the outcome of the run once it is decided, 0 for the others and until then.',
    normal: '`pass` in the end',
    deviation: 'see the report for the reasons',
  },
  fanfare_clients: {
    type: 'gauge',
    owner: 'receivers',
    labels: ['state'],
    help: 'Clients by state: wanted, opened, ready and failed are totals; connected are open and ready now.',
    normal: 'wanted = opened = ready = connected, failed 0',
    deviation: 'ready below wanted is the shortfall; connected below ready: connections were lost',
  },
  fanfare_connect_duration_seconds: {
    type: 'histogram',
    owner: 'receivers',
    help: 'From dial to open socket, per client.',
    normal: 'milliseconds',
    deviation: 'a long tail: the accept queue of the target overflows, or CONNECT_RATE is beyond it',
  },
  fanfare_ready_duration_seconds: {
    type: 'histogram',
    owner: 'receivers',
    help: 'From open socket to acknowledged subscription, per client.',
    normal: 'milliseconds',
    deviation: 'the target subscribes slowly',
  },
  fanfare_connect_errors_total: {
    type: 'counter',
    owner: 'receivers',
    labels: ['code'],
    help: 'Attempts that led to no ready client, by code.',
    normal: '0',
    deviation: 'the code says where it failed (docs/errors.md); `no-descriptors` and `no-ports` are limits of this machine',
  },
  fanfare_disconnects_total: {
    type: 'counter',
    owner: 'receivers',
    labels: ['code'],
    help: 'Connections that ended although the client did not want it, by code.',
    normal: '0',
    deviation: '`cut-by-target` while deliveries queue up: the target drops slow clients',
  },
  fanfare_deliveries_expected_total: {
    type: 'counter',
    owner: 'receivers',
    help: 'Deliveries owed to clients; known once publishing has ended.',
    normal: 'probes × ready clients',
    deviation: 'less: clients were not ready, or probes were not confirmed',
  },
  fanfare_deliveries_received_total: {
    type: 'counter',
    owner: 'receivers',
    help: 'First deliveries that came in time.',
    normal: 'its rate is the publish rate × ready clients',
    deviation: 'a lower rate: the target or the broker cannot keep up',
  },
  fanfare_deliveries_outstanding: {
    type: 'gauge',
    owner: 'receivers',
    help: 'Deliveries owed and neither heard nor given up; an estimate until publishing has ended.',
    normal: 'small and steady: publish rate × ready clients × latency',
    deviation: 'growing: a queue builds up in the broker or in the target',
  },
  fanfare_deliveries_missed_total: {
    type: 'counter',
    owner: 'receivers',
    help: 'Owed to clients that were disconnected at some time; counted when the drain ends.',
    normal: '0',
    deviation: 'connections were lost: see fanfare_disconnects_total',
  },
  fanfare_deliveries_lost_total: {
    type: 'counter',
    owner: 'receivers',
    help: 'Owed to connected clients and never heard; counted when the drain ends.',
    normal: '0',
    deviation: 'the target or the broker dropped them',
  },
  fanfare_deliveries_unaccounted_total: {
    type: 'counter',
    owner: 'receivers',
    help: 'Deliveries whose figures died with a receiver thread or replica.',
    normal: '0',
    deviation: 'the run is invalid',
  },
  fanfare_deliveries_duplicated_total: {
    type: 'counter',
    owner: 'receivers',
    help: 'Further copies of a delivery.',
    normal: '0',
    deviation: 'the target repeats, or a client is subscribed twice',
  },
  fanfare_deliveries_out_of_order_total: {
    type: 'counter',
    owner: 'receivers',
    help: 'First deliveries after a higher sequence of their stream.',
    normal: '0',
    deviation: 'the target reorders',
  },
  fanfare_deliveries_early_total: {
    type: 'counter',
    owner: 'receivers',
    help: 'Heard although sent before the client was ready.',
    normal: '0',
    deviation: 'the target delivers before it acknowledges, or replays',
  },
  fanfare_deliveries_late_total: {
    type: 'counter',
    owner: 'receivers',
    help: 'First deliveries after the drain had ended; they stay lost.',
    normal: '0',
    deviation: 'QUIET_MS is shorter than the pauses of the target',
  },
  fanfare_deliveries_unexpected_total: {
    type: 'counter',
    owner: 'receivers',
    help: 'Probes of this run on a stream the client does not have.',
    normal: '0',
    deviation: 'the target sends clients what they did not ask for',
  },
  fanfare_deliveries_foreign_total: {
    type: 'counter',
    owner: 'receivers',
    help: 'Probes of another run.',
    normal: '0',
    deviation: 'another run shares the stream: give each its own RUN_ID or STREAM',
  },
  fanfare_delivery_latency_seconds: {
    type: 'histogram',
    owner: 'receivers',
    help: 'Received − intended, per delivery: what a stalled publisher cannot hide.',
    normal: 'steady over time',
    deviation: 'rising with fanfare_deliveries_outstanding: it measures the depth of a queue',
  },
  fanfare_service_latency_seconds: {
    type: 'histogram',
    owner: 'receivers',
    help: 'Received − sent, per delivery.',
    normal: 'close to fanfare_delivery_latency_seconds',
    deviation: 'much lower: probes were sent late; see fanfare_publish_lateness_seconds',
  },
  fanfare_delivery_mean_seconds: {
    type: 'gauge',
    owner: 'receivers',
    help: 'Mean of received − intended over the run; NaN before the first delivery.',
    normal: 'near the median',
    deviation: 'far above the median: a long tail',
  },
  fanfare_service_mean_seconds: {
    type: 'gauge',
    owner: 'receivers',
    help: 'Mean of received − sent over the run (the figure the seed tool is known for); NaN before the first delivery.',
    normal: 'near the median',
    deviation: 'far above the median: a long tail',
  },
  fanfare_fanout_completion_seconds: {
    type: 'histogram',
    owner: 'verdict',
    help: 'From intended to the last client, per probe that every ready client has heard.',
    normal: 'a little above the p99 of the deliveries',
    deviation: 'far above: a few clients are served late every time',
  },
  fanfare_probes_scheduled_total: {
    type: 'counter',
    owner: 'publisher',
    help: 'Probes that were due.',
    normal: 'grows at the asked rate',
    deviation: 'slower: the publisher does not run',
  },
  fanfare_probes_published_total: {
    type: 'counter',
    owner: 'publisher',
    help: 'Probes handed to the broker.',
    normal: 'equal to scheduled',
    deviation: 'behind: something stands in the way; see fanfare_publish_lateness_seconds',
  },
  fanfare_probes_skipped_total: {
    type: 'counter',
    owner: 'publisher',
    help: 'Probes left out (CATCH_UP=skip, or the run was stopped).',
    normal: '0',
    deviation: 'slots were too late to be sent',
  },
  fanfare_probes_confirmed_total: {
    type: 'counter',
    owner: 'publisher',
    help: 'Probes the broker confirmed.',
    normal: 'follows published closely',
    deviation: 'behind: the broker confirms slowly',
  },
  fanfare_probes_returned_total: {
    type: 'counter',
    owner: 'publisher',
    help: 'Probes the broker had no queue for.',
    normal: '0',
    deviation: 'the target is not bound to the exchange (any more)',
  },
  fanfare_probes_nacked_total: {
    type: 'counter',
    owner: 'publisher',
    help: 'Probes the broker refused.',
    normal: '0',
    deviation: 'a queue is full or a broker node failed',
  },
  fanfare_probes_unknown_total: {
    type: 'counter',
    owner: 'publisher',
    help: 'Probes whose confirm was lost with the connection.',
    normal: '0',
    deviation: 'the broker connection broke',
  },
  fanfare_publish_lateness_seconds: {
    type: 'histogram',
    owner: 'publisher',
    help: 'Sent − intended, per probe.',
    normal: 'below 1 ms',
    deviation: 'the report tells the cause: loop (this tester), window, drain, blocked or disconnected (the broker)',
  },
  fanfare_confirm_latency_seconds: {
    type: 'histogram',
    owner: 'publisher',
    help: 'From sent to confirmed by the broker, per probe.',
    normal: 'milliseconds',
    deviation: 'the broker is busy; publishing waits only when CONFIRM_WINDOW is full',
  },
  fanfare_broker_blocked_seconds_total: {
    type: 'counter',
    owner: 'publisher',
    help: 'Time the broker had blocked publishing (connection.blocked).',
    normal: '0',
    deviation: 'a memory or disk alarm of the broker',
  },
  fanfare_tester_loop_delay_seconds: {
    type: 'histogram',
    owner: 'every',
    labels: ['role'],
    help: 'Delay of the event loops of this process beyond what a timer asked for, by role of the thread.',
    normal: 'below 10 ms',
    deviation: 'the tester is busy: latencies contain its own queueing',
  },
  fanfare_tester_bound: {
    type: 'gauge',
    owner: 'every',
    help: '1 when the tester itself is the limit by its own measures so far, else 0.',
    normal: '0',
    deviation: 'the run will be invalid: more threads, more replicas or a lower rate',
  },
} as const satisfies Record<string, MetricRow>

export type MetricName = keyof typeof metricsTable
export const metricNames = Object.keys(metricsTable) as MetricName[]
export const metricRow = (name: MetricName): MetricRow => metricsTable[name]
