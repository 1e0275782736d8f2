/** First, completion and spread: one figure per probe over all its clients. */
import type { FanoutFigures } from '../../measure/fanout-figures.ts'
import type { Report } from '../schema.ts'
import { summaryOf } from './summary.ts'

export interface FanoutFacts {
  readonly figures: FanoutFigures
  /** Combined uncertainty of the clocks a fan-out spans. */
  readonly boundUs: number
  /** Deliveries left out of the rows, because their number is capped. */
  readonly capped: number
}

export const fanoutGroup = ({ figures, boundUs, capped }: FanoutFacts): Report['fanout'] => ({
  probes: figures.probes,
  incomplete: figures.incomplete,
  firstUs: summaryOf(figures.firstUs),
  completionUs: summaryOf(figures.completionUs),
  spreadUs: summaryOf(figures.spreadUs),
  boundUs,
  capped,
})
