/** How well the clocks of a run agree: one clock, or an offset for each replica with what it may be wrong by. */
import type { RunResult } from '../../run/result.ts'
import type { Report } from '../schema.ts'

/** @param boundUs of any single latency */
export function clockGroup(replicas: RunResult['replicas'], boundUs: number): Report['clock'] {
  return {
    shared: replicas.every(({ clock }) => clock.isShared),
    boundUs,
    offsets: replicas
      .filter(({ clock }) => !clock.isShared)
      .map(({ replica, clock: { offsetUs, boundUs: ownBoundUs, steps } }) => ({ replica, offsetUs, boundUs: ownBoundUs, steps })),
  }
}

/** Of figures that span replicas: the first client may be at one and the last at another, and each may be wrong in its own direction. */
export function fanoutBoundUs(replicas: RunResult['replicas'], boundUs: number): number {
  const [widest = 0, second = 0] = replicas.map(({ receivers }) => receivers.clockBoundUs).sort((a, b) => b - a)
  return Math.max(boundUs, widest + second)
}
