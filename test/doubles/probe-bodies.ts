/** Bodies as the publisher makes them, for tests that put them into a target by hand. */
import { writeToken } from '../../src/probe/codec.ts'

export const TEST_RUN = 'testrun0'

export function probeBody(sequence: number, { run = TEST_RUN, stream = 0 } = {}): string {
  const nowUs = Math.round((performance.timeOrigin + performance.now()) * 1_000)
  const token = writeToken({ run, stream, sequence, intendedUs: nowUs, sentUs: nowUs })
  return JSON.stringify({ cmd: 'Test', time: Math.floor(nowUs / 1_000), probe: token })
}
