/** `hindcast replay TASK -- node agent.js`: runs a program again on the recording of its requests. */
import { Effect, Option } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import type { Live } from "../../record/replay/Diverged.ts"
import { given } from "../command/CommonOptions.ts"
import * as Output from "../command/Output.ts"
import * as ClosedProgram from "./ClosedProgram.ts"
import * as Program from "./Program.ts"

/** Runs the program on a task's recording. Its exit code is passed on; it is 2 if it did otherwise than was recorded. */
export const replay = (
  taskId: string,
  words: ReadonlyArray<string>,
  live: Option.Option<Live>,
  allowHost: ReadonlyArray<string>,
) =>
  Effect.gen(function* () {
    const program = yield* Program.checked(words)
    const { closed, report } = yield* ClosedProgram.closing(allowHost)
    const { name: log } = yield* EventLog
    const ended = yield* Program.run(program, { does: "replay", log, taskId, closed, ...given({ live }) })
    const code = Program.exitCodeOf(ended)
    process.exitCode = code
    if ((yield* report) || code !== 0) return
    yield* Output.note(
      Option.isSome(live)
        ? `The program came to its end; but for what was made anew, it did as was recorded in task ${taskId}.`
        : `The program did as was recorded in task ${taskId}.`,
    )
  }).pipe(Effect.scoped)
