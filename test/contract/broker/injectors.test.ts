import { injectorBehaviours } from './injector-behaviours.ts'
import { embeddedAmqp } from './ways-in.ts'

injectorBehaviours(embeddedAmqp)
