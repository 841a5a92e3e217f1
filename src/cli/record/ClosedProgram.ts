/** Runs a program without network access, and reports the targets that it tried to reach. */
import * as path from "node:path"
import { Data, Effect } from "effect"
import * as AllowedHosts from "../../record/network/AllowedHosts.ts"
import * as NetworkAttempt from "../../record/network/NetworkAttempt.ts"
import * as Unseen from "../../record/network/Unseen.ts"
import * as BlockedThread from "../../record/process/BlockedThread.ts"
import type * as ProcessRun from "../../record/process/ProcessRun.ts"
import * as ExitCode from "../catalogue/ExitCode.ts"
import { BadInput } from "../command/BadInput.ts"
import { repeatedText } from "../command/CommonOptions.ts"
import * as Output from "../command/Output.ts"
import * as Confinement from "./Confinement.ts"
import * as Program from "./Program.ts"

export const allowHost = repeatedText(
  "allow-host",
  `With a program after --: a server that it may reach even though the recording answers, as ${AllowedHosts.FORM}. Default: none`,
)

export const checked = (hosts: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<string>, BadInput> => {
  const wrong = hosts.find((host) => AllowedHosts.parse(host) === undefined)
  if (wrong === undefined) return Effect.succeed(hosts)
  return new BadInput({ input: "--allow-host", expected: AllowedHosts.FORM, found: `"${wrong}"` })
}

export const hostsOf = (hosts: ReadonlyArray<string>) =>
  Effect.map(checked(hosts), (texts) => texts.flatMap((text) => AllowedHosts.parse(text) ?? []))

/** The program was ended: its main thread blocked on a worker thread that waited for an answer of the main thread. */
export class MainThreadBlocked extends Data.TaggedError("MainThreadBlocked") {
  override get message() {
    return [
      "expected a main thread that can answer its worker threads, found one that waits by `Atomics.wait` for a worker thread with a request.",
      "In a replay, the main thread answers the requests of its worker threads from the log, so both would wait for ever:",
      `the program was ended after ${BlockedThread.BOUND_SECONDS} s. Let it wait for a message of the worker instead, or record and replay it by`,
      "`hindcast record --proxy -- …`, whose proxy answers from another process.",
    ].join(" ")
  }
}

export interface Closed {
  readonly closed: ProcessRun.Closed
  /** Runs the program in a network namespace, where that is possible. */
  readonly confined: Program.Start
  /** Fails if the program was ended because its main thread blocked. */
  readonly assertNotBlocked: Effect.Effect<void, MainThreadBlocked>
  /** Asserts the same; prints the attempts so far, and sets exit code 2 if there are any. Returns whether there are. */
  readonly report: Effect.Effect<boolean, MainThreadBlocked>
  /** The attempts so far, each target once. */
  readonly tried: Effect.Effect<ReadonlyArray<NetworkAttempt.Tried>>
}

/** @param isReachable whether its servers can be reached from outside of it, as far as that is up to Hindcast */
export const closing = (hosts: ReadonlyArray<string>, { isReachable = true } = {}) =>
  Effect.gen(function* () {
    const allow = yield* checked(hosts)
    const allowed = yield* hostsOf(hosts)
    let isConfined = false
    let whyOpen = ""
    const confined: Program.Start = (program, running) => {
      isConfined = true
      const onOpen = (why: string) =>
        Effect.sync(() => {
          isConfined = false
          whyOpen = `: ${why}`
        })
      return Confinement.start(program, { allowed, isReachable, attempts, onOpen }, running)
    }
    const attempts = path.join(yield* Program.temporaryDirectory, "attempts.jsonl")
    const assertNotBlocked = Effect.suspend(() =>
      BlockedThread.wasFound(attempts) ? new MainThreadBlocked() : Effect.void,
    )
    const report = Effect.gen(function* () {
      yield* assertNotBlocked
      const open = isConfined ? [] : Unseen.read(Unseen.fileBeside(attempts))
      if (open.length > 0) {
        const started = open.map(Unseen.described).join(", ")
        yield* Output.note(
          `The replay did not close the network to child programs other than Node (${started})${whyOpen}.`,
        )
      }
      const tried = NetworkAttempt.read(attempts)
      if (tried.length === 0) return false
      process.exitCode = ExitCode.damaged
      yield* Output.note(
        [
          "A replay has no network. The program tried to connect to these servers, and nothing was sent:",
          ...NetworkAttempt.summary(tried).map((line) => `  ${line}`),
        ].join("\n"),
      )
      yield* Output.note(advice(tried))
      return true
    })
    const tried = Effect.sync(() => NetworkAttempt.distinct(NetworkAttempt.read(attempts)))
    const closed = { allow, attempts, preload: Program.PRELOAD }
    return { closed, confined, assertNotBlocked, report, tried } satisfies Closed
  })

const advice = (tried: ReadonlyArray<NetworkAttempt.NetworkAttempt>): string => {
  const hosts = [...new Set(tried.map(({ target }) => target))].map((target) => `--allow-host ${target}`)
  return `The recording cannot answer requests that it does not contain. To let the program reach these servers: ${hosts.join(" ")}`
}
