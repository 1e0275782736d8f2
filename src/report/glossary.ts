/** How to read each figure: one entry per word, for the report page and `docs/reading-a-report.md`. */

export interface GlossaryEntry {
  readonly word: string
  readonly meaning: string
}

export const glossary: readonly GlossaryEntry[] = [
  { word: 'probe', meaning: 'One stamped message: injected once, and owed once to every client of its stream.' },
  { word: 'delivery', meaning: 'One probe reaching one client. 1,000 clients and 300 probes make 300,000 deliveries.' },
  {
    word: 'delivery latency',
    meaning:
      'Received − intended. Intended is the slot of the schedule, not the moment of sending, so a publisher that stalls does not hide it. This is the figure to judge a server by.',
  },
  {
    word: 'service latency',
    meaning: 'Received − sent: from handing the probe to the broker. Much lower than delivery latency means that probes were sent late.',
  },
  {
    word: 'first, completion, spread',
    meaning:
      'Of one probe over all clients: when the first heard it, when the last heard it (completion), and the time between. Completion is what “everybody knows now” means; a mean over deliveries hides one slow client, completion does not.',
  },
  {
    word: 'p99',
    meaning:
      '99 % took at most this long. A percentile with fewer than ten samples beyond it is not shown: it would tell more about luck than about the server.',
  },
  {
    word: 'lateness',
    meaning:
      'Sent − intended: how late our own publisher was, with the cause: its loop, or the broker (window, drain, blocked, disconnected).',
  },
  { word: 'lost', meaning: 'Owed to a client that was connected all the time, and never heard. The server or the broker dropped it.' },
  { word: 'missed', meaning: 'Owed to a client that was disconnected at some time between sending and the end of the drain.' },
  { word: 'unaccounted', meaning: 'Owed to clients of a thread or replica that died with its last figures. The run is invalid then.' },
  {
    word: 'early, late',
    meaning:
      'Early: heard although sent before the client was ready, owed to nobody. Late: heard after the drain had ended; it stays lost.',
  },
  {
    word: 'duplicated, out of order',
    meaning: 'Further copies of a delivery, and first deliveries after a higher sequence of their stream.',
  },
  { word: 'unexpected, foreign', meaning: 'Probes of this run on a stream the client does not have, and probes of another run.' },
  {
    word: 'offered, delivered, time to empty',
    meaning:
      'What was asked of the server per second, what came out, and how long the rest took after the last publish. When delivered stays below offered, latency measures the depth of a queue.',
  },
  { word: 'ready', meaning: 'The server acknowledged the subscription. An open socket alone is not ready.' },
  {
    word: 'clock ±',
    meaning:
      'How far the clocks of publisher and receivers may differ. Every latency is right within this; differences below it mean nothing.',
  },
  {
    word: 'tester',
    meaning:
      'Whether this tool itself was the limit, from its own measures. Healthy: no. Suspect: it may show in the figures. Bound: the figures are about the tester, and the run is invalid.',
  },
  {
    word: 'confirmed, returned, unknown',
    meaning: 'What the broker said of a probe: taken, no queue for it, or nothing because the connection was lost.',
  },
]
