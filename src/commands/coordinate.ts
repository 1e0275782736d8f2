/**
 * `fanfare coordinate`: plans, publishes, judges and reports for replicas that hold the clients. It is a run like any other; only who holds
 * the clients is not this process.
 */
import type { SettingsRequest } from '../cli/arguments.ts'
import { Coordinator } from '../cluster/coordinator.ts'
import type { ReplicaCrowd } from '../cluster/replica-crowd.ts'
import { makePlan } from '../config/plan.ts'
import type { Settings } from '../config/settings.ts'
import { addUsage, ownUsage } from '../run/usage.ts'
import { conduct } from './conduct.ts'
import type { CommandContext } from './context.ts'
import { controlLineOf } from './control-line-of.ts'
import type { Held, Holder, Stage } from './holder.ts'
import { loadRequest } from './load-request.ts'

export async function coordinateCommand(request: SettingsRequest, context: CommandContext): Promise<number> {
  const { settings } = loadRequest(request, context, { isReplicated: true })
  return conduct(settings, context, { isJson: request.isJson, holder: new ReplicaHolder(settings) })
}

class ReplicaHolder implements Holder {
  readonly role = 'coordinator'
  readonly #settings: Settings
  #coordinator: Coordinator | undefined

  constructor(settings: Settings) {
    this.#settings = settings
  }

  ownShare() {
    return { firstClient: 0, clients: 0 }
  }

  async hold({ plan, version, nowUs, stop, say, enter }: Stage): Promise<Held> {
    enter('join')
    const line = controlLineOf(this.#settings, 'coordinator')
    const coordinator = await Coordinator.open({ settings: this.#settings, line, version, nowUs, notice: say, stop })
    this.#coordinator = coordinator
    const clientsByReplica = await coordinator.gather()
    const crowd = await coordinator.assemble(
      makePlan(this.#settings, { runId: plan.runId, runClockOffsetUs: plan.runClockOffsetUs, clientsByReplica }),
    )
    return heldBy(crowd, (phase) => coordinator.enter(phase))
  }

  warnings() {
    return this.#coordinator?.warnings ?? []
  }

  async release(why: Parameters<Holder['release']>[0]): Promise<void> {
    await this.#coordinator?.dismiss(why)
  }
}

const heldBy = (crowd: ReplicaCrowd, onPhase: NonNullable<Held['onPhase']>): Held => ({
  plan: crowd.plan,
  crowd,
  onPhase,
  replicas: () => crowd.rows(),
  usage: () => addUsage(ownUsage(), crowd.usage()),
})
