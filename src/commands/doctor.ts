/** `fanfare doctor`: what the planned run needs and what this machine has, without dialing. */
import type { SettingsRequest } from '../cli/arguments.ts'
import { makePlan } from '../config/plan.ts'
import { exitCodes } from '../exit-codes.ts'
import { doctorText } from '../report/doctor.ts'
import { examineMachine } from '../run/examine-machine.ts'
import type { CommandContext } from './context.ts'
import { loadRequest } from './load-request.ts'

export async function doctorCommand(request: SettingsRequest, context: CommandContext): Promise<number> {
  const { settings } = loadRequest(request, context)
  const plan = makePlan(settings, { runClockOffsetUs: 0 })
  const findings = await examineMachine(plan, plan.roster)
  context.stdout.write(`${doctorText(plan, findings)}\n`)
  return findings.some(({ state }) => state === 'refused') ? exitCodes.refused : exitCodes.pass
}
