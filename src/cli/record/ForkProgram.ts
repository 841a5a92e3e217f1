/**
 * `hindcast fork @412 --set … -- node agent.js`: a recorded program continues from a moment, on a timeline of its own.
 */
import { Effect, Option } from "effect"
import type { Changes } from "../../record/fork/Changes.ts"
import * as ForkedRun from "../../record/fork/ForkedRun.ts"
import * as ForkPlace from "../../record/fork/ForkPlace.ts"
import { defined } from "../../values/defined.ts"
import { BadInput } from "../command/BadInput.ts"
import * as CommandHints from "../command/CommandHints.ts"
import * as Ids from "../command/Ids.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as TrustLog from "../command/TrustLog.ts"
import { at as shownAt } from "../terminal/Text.ts"
import * as OwnTools from "./again/OwnTools.ts"
import * as ClosedProgram from "./ClosedProgram.ts"
import * as Comparison from "./Comparison.ts"
import * as Program from "./Program.ts"
import * as ProgramTask from "./ProgramTask.ts"
import * as ProxiedProgram from "./ProxiedProgram.ts"

export interface Typed {
  readonly log: Parameters<typeof OpenLog.forEvents>[0]
  readonly json: boolean
  readonly at: string
  readonly task: Option.Option<string>
  readonly timeline: Option.Option<string>
  readonly set: ReadonlyArray<string>
  readonly allowHost: ReadonlyArray<string>
  readonly trustLog: boolean
  readonly words: ReadonlyArray<string>
  /** Where the program runs, and whose files are recorded: an absolute path. Default: the working directory, whose are not. */
  readonly cwd?: string
}

/** Runs the program. The log answers its requests up to the moment; later requests are live, and recorded. */
export const fork = (typed: Typed) =>
  Effect.gen(function* () {
    const changes = yield* changesOf(typed.set)
    const { closed, report: named } = yield* ClosedProgram.closing(typed.allowHost)
    const place = yield* placeOf(typed).pipe(Effect.provide(OpenLog.forEvents(typed.log)))
    const { taskId, parent, at, timeline } = place
    const recorder = yield* Effect.provide(ProxiedProgram.recorderOf(taskId), OpenLog.forEvents(typed.log))
    const checked = yield* recorder === undefined ? Program.checked(typed.words) : ProxiedProgram.checked(typed.words)
    yield* Effect.provide(TrustLog.settled(typed), OpenLog.forEvents(typed.log))
    const ownTools = yield* OwnTools.of(taskId, parent).pipe(Effect.provide(OpenLog.forEvents(typed.log)))
    yield* OwnTools.note(ownTools, { isNode: recorder === undefined })
    // With `--json`, the standard output holds only the result.
    const { cwd } = typed
    const running: Program.Running = typed.json ? { stdio: ["inherit", 2, "inherit"], cwd } : { cwd }
    const forking = { changes, ...place, ...defined({ workspace: cwd }) }
    const told = (report: string) => ({ does: "fork" as const, closed, report, ...forking })
    const directory = cwd === undefined ? undefined : { root: cwd, log: place.log }
    const ran =
      recorder === undefined
        ? yield* Program.runReporting(checked, told, running)
        : yield* forkProxied(checked, recorder, forking, running)
    const isForked = yield* ProgramTask.close(taskId, ran, timeline, directory).pipe(
      Effect.provide(OpenLog.forWriting(typed.log)),
    )
    if (isForked && ran.report?.compared?.found) {
      yield* Output.note(`The task is closed as failed in timeline ${timeline}.`)
    }
    yield* named
    yield* Comparison.of(ran, typed.words, recorder === undefined ? [] : [`--${recorder.means}`])
    if (!isForked) return
    const align = CommandHints.written("align", parent, timeline, "--task", taskId)
    yield* typed.json
      ? Output.show(true, { taskId, parent, at, timeline, changes, ownTools }, () => [])
      : Output.note(
          CommandHints.inText(
            `Task ${taskId} continued from ${shownAt(at)} on timeline ${timeline}. \`${align}\` shows where they diverge.`,
          ),
        )
  }).pipe(Effect.scoped)

const forkProxied = (
  program: Program.Command,
  recorder: ProxiedProgram.Proxied,
  place: Omit<ForkedRun.ForkedOptions, "fetch">,
  running: Program.Running,
) => {
  const options = { ...place, means: recorder }
  return ProxiedProgram.fork(program, recorder, (fetch) => ForkedRun.begin({ ...options, fetch }), running)
}

const changesOf = (texts: ReadonlyArray<string>): Effect.Effect<Changes, BadInput> =>
  Effect.reduce(texts, {} as Changes, (changes, text) => {
    const [, name = "", value = ""] = /^([^=]+)=(.*)$/s.exec(text) ?? []
    const refused = (found: string) =>
      new BadInput({ input: `--set ${text}`, expected: "model=NAME, answer=TEXT or result=TEXT, each once", found })
    if (name !== "model" && name !== "answer" && name !== "result") return refused("another setting")
    if (value === "") return refused(`no ${name}`)
    return name in changes ? refused(`a second ${name}`) : Effect.succeed({ ...changes, [name]: value })
  })

const placeOf = ({ log, at, task, timeline }: Typed) =>
  Effect.gen(function* () {
    const taskId = Option.isSome(task) ? yield* Ids.task(task.value) : undefined
    const chosen = { moment: at, taskId, timeline: Option.getOrUndefined(timeline) }
    const place = yield* ForkPlace.find(chosen).pipe(
      Effect.catchTag("NotForkable", ({ expected, found }) => new BadInput({ input: at, expected, found })),
    )
    return { log: (yield* OpenLog.placeToLookAt(log)).open, ...place }
  })
