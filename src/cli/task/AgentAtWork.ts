/**
 * The shared part of `hindcast run`, `resume` and `fork`: the options of an agent at work, its kernel, and its
 * progress.
 */
import { Options } from "@effect/cli"
import { Effect, Fiber, type Option } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import * as ServerUrl from "../../events/log/ServerUrl.ts"
import * as Gate from "../../kernel/gate/Gate.ts"
import * as Hindcast from "../../kernel/Hindcast.ts"
import { userAsActor, userName } from "../../platform/user/Machine.ts"
import { defined } from "../../values/defined.ts"
import * as RecordFiles from "../../workspace/recordFiles.ts"
import { given, milliseconds, oneOf, positive, sandbox, wholeNumber, workspace } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as TrustLog from "../command/TrustLog.ts"
import * as Prompter from "./Prompter.ts"
import * as RunProgress from "./RunProgress.ts"

/** The option `--max-steps`. `from` says from where steps count, `otherwise` extends the text about the default. */
export const maxSteps = (from: string, otherwise = "") =>
  wholeNumber("max-steps", 1).pipe(
    Options.withDescription(`Maximum number of steps of the agent${from}. Default: 100${otherwise}`),
    Options.optional,
  )

export const options = {
  deadlineMs: positive("deadline").pipe(
    Options.withDescription("Seconds that the sensors may take at each step. Default: no limit"),
    milliseconds,
    Options.optional,
  ),
  gate: oneOf("gate", ["ask", "allow", "deny"]).pipe(
    Options.withDescription(
      "ask: a person decides about commands of more than low risk; the risk is the declared one, or higher if the plugin's grants allow more; allow or deny: all commands. Default: ask",
    ),
    Options.withDefault("ask" as const),
  ),
  confirmWithinMs: positive("confirm-within").pipe(
    Options.withDescription("Seconds that a person has to answer. Default: 300; for `acp`, one week"),
    milliseconds,
    Options.optional,
  ),
  sandbox,
  workspace,
  trustLog: TrustLog.option,
}

export const ledWithinMs = positive("led-within").pipe(
  Options.withDescription("Maximum seconds for each recorded decision that the agent repeats. Default: no limit"),
  milliseconds,
  Options.optional,
)

export interface KernelInput extends TrustLog.Typed {
  readonly gate: "ask" | "allow" | "deny"
  readonly confirmWithinMs: Option.Option<number>
  readonly sandbox: "auto" | "namespaces" | "flags"
  readonly workspace: Option.Option<string>
  readonly seed?: Option.Option<number>
  /** Default: continued tasks keep recording files if they began so. */
  readonly recordFiles?: boolean
  /** Tools and sensors of the program that asks for the kernel. */
  readonly program?: Pick<Hindcast.HindcastOptions, "tools" | "sensors">
  /** Judges tasks that have closed. Default: nobody does. */
  readonly judge?: Hindcast.HindcastOptions["judge"]
  /** Receives the progress of calls. Default: nobody does. */
  readonly onProgress?: Hindcast.HindcastOptions["onProgress"]
}

/**
 * A command's kernel on a log. For a foreign log, asks the user before anything in it starts.
 *
 * @param log the file, or the URL of a server
 */
export const kernel = (command: string, log: string, { gate, confirmWithinMs, ...typed }: KernelInput) =>
  Effect.map(Effect.zipLeft(OpenLog.workspaceOf(typed.workspace), OpenLog.warnTracked(log)), (workspace) => {
    const layer = (trust: boolean) =>
      Hindcast.layer({
        log,
        workspace,
        actor: userAsActor(),
        owner: `hindcast ${command} of ${userName()}`,
        gate: { ...(gate === "ask" ? Gate.standard : { default: gate }), ...given({ confirmWithinMs }) },
        host: { sandbox: typed.sandbox },
        // Tasks whose kernel was killed stay open, so that they can be resumed later.
        onOpenTasks: "resume",
        trust,
        ...typed.program,
        ...defined({ onProgress: typed.onProgress, judge: typed.judge }),
        ...filesOf(log, typed.recordFiles === true),
        ...(typed.seed === undefined ? {} : given({ seed: typed.seed })),
      })
    return TrustLog.asking(layer, typed)
  })

/** The contents of files are next to a log's file. On a server, no task records any. */
const filesOf = (log: string, wanted: boolean): Pick<Hindcast.HindcastOptions, "files"> => {
  if (wanted) return { files: RecordFiles.recordFiles }
  return ServerUrl.isAddress(log) ? {} : { files: RecordFiles.continueFiles }
}

export interface Accompanied {
  /** The log for messages. */
  readonly filename: string
  readonly json: boolean
  /** Ask the user only about confirmations after this position. Default: the head when the agent begins. */
  readonly askedAfter?: number | undefined
}

/**
 * Runs an agent. Meanwhile prints each step of its task, and asks the user about each pending command or prints how to
 * answer from another terminal.
 *
 * @param work runs the agent, whose events all come after the position `after`
 */
export const accompanied = <A, E, R>(
  { filename, json, askedAfter }: Accompanied,
  work: (after: number) => Effect.Effect<A, E, R>,
) =>
  Effect.gen(function* () {
    const { position } = yield* (yield* EventLog).head
    const progress = json ? undefined : yield* Effect.fork(RunProgress.follow(position, Output.styleOf(process.stdout)))
    const after = askedAfter ?? position
    yield* Effect.forkScoped(
      !json && Prompter.isPossible() ? Prompter.ask(after, filename) : Prompter.announce(after, filename),
    )
    const done = yield* work(position)
    if (progress !== undefined) yield* Fiber.join(progress)
    return done
  })
