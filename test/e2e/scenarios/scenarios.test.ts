/**
 * The books against adversaries that know the truth: scenarios are drawn, played by real processes over real sockets, and every counter of
 * the ledger is compared with the truth logs of target and broker.
 *
 *   npm run test:scenarios                                          200 of them, as in CI
 *   SCENARIOS=2000 SCENARIO_SEED=7 npm run test:scenarios           more, and others
 *   SCENARIO_SEED=7 SCENARIO_PATH=41 npm run test:scenarios         one of them again, as a failure prints it
 *   SCENARIO_SHRINK=on …                                            looks for a smaller scenario that fails, too
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { compare } from './compare.ts'
import { play } from './play.ts'
import { type Scenario, scenarios } from './scenario.ts'
import { Tester } from './tester.ts'

const { SCENARIO_SEED = '1', SCENARIO_PATH, SCENARIO_SHRINK } = process.env
const COUNT = SCENARIO_PATH === undefined ? Number(process.env.SCENARIOS ?? 200) : 1
/** Scenarios at a time: they wait more than they work. */
const LANES = SCENARIO_PATH === undefined ? 3 : 1
/** Lanes draw from seeds of their own. */
const SEED_STEP = 1_000_003

test(`the ledger is equal to the truth in ${COUNT} scenarios drawn with seed ${SCENARIO_SEED}`, async () => {
  const lanes = Array.from({ length: LANES }, (_, lane) => playLane(Number(SCENARIO_SEED) + lane * SEED_STEP))
  const failures = (await Promise.all(lanes)).filter((failure) => failure !== undefined)
  assert.ok(failures.length === 0, failures.join('\n\n'))
})

/** Plays a lane's share; the failure in words with the command that plays it again. */
async function playLane(seed: number): Promise<string | undefined> {
  const lane = new Lane()
  const outcome = await fc.check(
    fc.asyncProperty(scenarios, (scenario) => lane.play(scenario)),
    {
      seed,
      numRuns: Math.ceil(COUNT / LANES),
      endOnFailure: SCENARIO_SHRINK !== 'on',
      ...(SCENARIO_PATH !== undefined && { path: SCENARIO_PATH }),
    },
  )
  lane.end()
  if (!outcome.failed) return undefined
  const [scenario] = outcome.counterexample ?? []
  return (
    `${outcome.errorInstance instanceof Error ? outcome.errorInstance.message : outcome.errorInstance}\n` +
    `in ${JSON.stringify(scenario)}\n` +
    `Play it again: SCENARIO_SEED=${seed} SCENARIO_PATH=${outcome.counterexamplePath} npm run test:scenarios`
  )
}

/** One tester's process, which plays scenario after scenario; a new one after a failure. */
class Lane {
  #tester: Promise<Tester> | undefined

  async play(scenario: Scenario): Promise<void> {
    this.#tester ??= Tester.start()
    const tester = await this.#tester
    try {
      const disagreements = compare(await play(scenario, tester))
      assert.ok(disagreements.length === 0, disagreements.join('\n'))
    } catch (error) {
      this.end()
      throw error
    }
  }

  end(): void {
    void this.#tester?.then((tester) => tester.end())
    this.#tester = undefined
  }
}
