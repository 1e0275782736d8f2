/** From command names to what carries them out; the table that `main.ts` hands to the command line. */
import type { ProgramParts } from '../cli/arguments.ts'
import { compareCommand } from './compare.ts'
import type { CommandContext } from './context.ts'
import { coordinateCommand } from './coordinate.ts'
import { demoCommand, demoDefaults } from './demo.ts'
import { doctorCommand } from './doctor.ts'
import { replicaCommand } from './replica.ts'
import { reportCommand } from './report.ts'
import { runCommand } from './run.ts'
import { brokerCommand, brokerFlags, targetCommand, targetFlags } from './tools.ts'

export const handlersFor = (context: CommandContext): Omit<ProgramParts, 'version'> => ({
  targetFlags,
  brokerFlags,
  demoDefaults,
  handlers: {
    run: (request) => runCommand(request, context),
    demo: (request) => demoCommand(request, context),
    doctor: (request) => doctorCommand(request, context),
    coordinate: (request) => coordinateCommand(request, context),
    replica: (request) => replicaCommand(request, context),
    target: (request) => targetCommand(request, context),
    broker: (request) => brokerCommand(request, context),
    report: (request) => reportCommand(request, context),
    compare: (request) => compareCommand(request, context),
  },
})
