/** Runs a program in any language, whose requests to models pass a proxy of this process. */
import * as path from "node:path"
import { Effect, type Scope } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import type { RecorderMeans } from "../../events/vocabulary/Tasks.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import type * as ForkedRun from "../../record/fork/ForkedRun.ts"
import * as LiveRun from "../../record/LiveRun.ts"
import type { ProcessReport } from "../../record/process/ProcessReport.ts"
import * as ProcessRun from "../../record/process/ProcessRun.ts"
import * as CallsOfRun from "../../record/proxy/CallsOfRun.ts"
import type { Environment } from "../../record/proxy/Families.ts"
import type { RecordOptions } from "../../record/RecordOptions.ts"
import { type Diverged, NothingReplayed } from "../../record/replay/Diverged.ts"
import type { PlaybackRun } from "../../record/replay/PlaybackRun.ts"
import * as Thrown from "../../record/Thrown.ts"
import { defined } from "../../values/defined.ts"
import { BadInput } from "../command/BadInput.ts"
import * as Output from "../command/Output.ts"
import { count } from "../terminal/Text.ts"
import * as Confinement from "./Confinement.ts"
import * as Program from "./Program.ts"
import * as ProgramTask from "./ProgramTask.ts"

type ProxyMeans = "proxy" | "intercept"

export interface Proxied extends Pick<RecorderMeans, "addresses"> {
  readonly means?: ProxyMeans
}

export const checked = ([first, ...others]: ReadonlyArray<string>): Effect.Effect<Program.Command, BadInput> =>
  first === undefined
    ? new BadInput({ input: "--", expected: "a program after it, such as -- python agent.py", found: "nothing" })
    : Effect.succeed([first, ...others])

/** The proxy settings of a task's recording; undefined if the program recorded itself. */
export const recorderOf = (taskId: string) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const [opened] = yield* log.readPage({ timeline: log.timeline, taskId, types: ["TaskOpened"] }, 1)
    const recorder = opened !== undefined && is(opened, "TaskOpened") ? opened.payload.recorder : undefined
    if (recorder?.means === undefined) return undefined
    const { means, addresses } = recorder
    if (means === "hooks" || means === "acp") {
      return yield* new BadInput({
        input: taskId,
        expected: "a recording of a program's model calls",
        found: `a session recorded ${means === "hooks" ? "by a coding agent's hooks" : "between editor and agent"}, without its requests`,
        advice: "It cannot be replayed; `hindcast task show` and `hindcast why` show what happened.",
      })
    }
    if (means === "mcp") {
      return yield* new BadInput({
        input: taskId,
        expected: "a recording of a program's model calls",
        found: "a session with an MCP server",
        advice: "It cannot be replayed; `hindcast task show` and `hindcast why` show what happened.",
      })
    }
    return { means, ...defined({ addresses }) }
  })

interface Kept {
  readonly keepOpen?: boolean
  /** A directory whose files to record. Default: none. */
  readonly workspace?: string | undefined
}

/**
 * Runs a program and records the proxy's traffic. Fails with `BadAddress`, `NotStarted`, or an error of opening the
 * log.
 */
export const record = (
  program: Program.Command,
  options: RecordOptions,
  how: ProxyMeans,
  running: Program.Running = {},
  { keepOpen = false, workspace }: Kept = {},
) =>
  Effect.gen(function* () {
    const { proxying, forwarding, env } = yield* parts()
    const routes = yield* attempt(async () => proxying.routes(env))
    let report: ProcessReport = {}
    const noting = ({ reason }: { readonly reason: string }) => {
      report = { logFailure: reason }
    }
    const means = { means: how, ...(how === "proxy" ? { addresses: proxying.namedSafely(routes) } : {}) }
    let unrecorded: ReadonlyMap<string, number> = new Map()
    const unseen = () => [...unrecorded].map(([target, count]) => ({ what: "an upgrade", target, count }))
    const run = yield* attempt(() => LiveRun.begin(options, noting, means, { unseen, workspace }))
    // An interrupt ends first the program, then the run.
    let closing: ProgramTask.Closing = { outcome: "abandoned", reason: "hindcast was interrupted" }
    yield* Effect.addFinalizer(() =>
      Effect.promise(() =>
        (keepOpen ? run.leave() : run.end(closing.outcome, closing.reason, closing.exit)).catch(() => {}),
      ),
    )
    let unmetered = 0
    const onUnmetered = () => {
      unmetered++
    }
    const contacted = new Map<string, number>()
    const models = new Set<string>()
    const onPassed = ({ host }: URL, isModel: boolean) => {
      if (isModel) models.add(host)
      else contacted.set(host, (contacted.get(host) ?? 0) + 1)
    }
    const unreachable = new Map<string, string>()
    const onUnreachable = ({ host }: URL, error: unknown) => void unreachable.set(host, Thrown.messageOf(error))
    const { exchange } = run
    const proxy = yield* opened(
      proxying.recording(
        { routes, forwarding, env, exchange, onUnmetered, onPassed, onUnreachable },
        { ...(yield* listening(how)), calls: CallsOfRun.make(run) },
      ),
    )
    unrecorded = proxy.unrecorded
    const started = Program.keepingErrors(withVariables(running, proxy.variables), (within) =>
      Program.start(program, within),
    )
    const kept = yield* Effect.tapError(started, ({ reason }) =>
      Effect.sync(() => {
        closing = { outcome: "abandoned", reason: `its program did not start: ${reason}` }
      }),
    )
    const ran: Program.Ran = { ...kept, report }
    closing = ProgramTask.closingOf(ran, false)
    yield* noteUnrecorded(proxy.unrecorded)
    const others = [...contacted].filter(([host]) => !models.has(host))
    for (const [host, reason] of unreachable) yield* Output.note(`${host} did not answer: ${reason}`)
    if (others.length > 0) yield* Output.note(besideModels(others))
    if (unmetered > 0) yield* Output.note(noUsage(unmetered))
    return ran
  }).pipe(Effect.scoped)

const besideModels = (hosts: ReadonlyArray<readonly [host: string, requests: number]>): string =>
  `Other servers contacted: ${hosts.map(([host, requests]) => `${host} (${count(requests, "request")})`).join(", ")}.`

const noUsage = (answers: number): string =>
  `The tokens of ${count(answers, "streamed answer")} are unknown: the program did not ask for them (\`stream_options\`: \`include_usage\`). LangChain asks for them only if no variable names an address; \`ChatOpenAI(stream_usage=True)\` always does.`

/** Begins a replayed or forked run, given the `fetch` for live requests. */
type Begin = (fetch: ForkedRun.ForkedOptions["fetch"]) => Promise<PlaybackRun>

/**
 * Runs a program on its recording.
 *
 * @param closed hosts that it may reach anyway, and the file for attempts; undefined leaves the network open
 */
export const replay = (
  program: Program.Command,
  recorder: Proxied,
  begin: Begin,
  running: Program.Running,
  closed: Closed | undefined,
) =>
  Effect.map(
    answered(program, recorder, begin, withVariables(running, ProcessRun.variablesOf("replay")), closed),
    ({ ran }) => ran,
  ).pipe(Effect.scoped)

type Closed = Pick<Confinement.Confining, "allowed" | "attempts">

/** Runs a program that continues from a moment of its recording, and closes its task. */
export const fork = (program: Program.Command, recorder: Proxied, begin: Begin, running: Program.Running) =>
  Effect.gen(function* () {
    const { playing, ran } = yield* answered(
      program,
      recorder,
      begin,
      withVariables(running, ProcessRun.variablesOf("fork")),
    )
    yield* Output.note(FORK_IS_OPEN)
    const { outcome, reason } = ProgramTask.closingOf(ran, true)
    yield* attempt(() => playing.close(outcome, reason))
    return ran
  }).pipe(Effect.scoped)

const FORK_IS_OPEN =
  "The network was open to this program all the time: only for Node programs, a fork closes it up to its moment."

const answered = (
  program: Program.Command,
  { means = "proxy", addresses = {} }: Proxied,
  begin: Begin,
  running: Program.Running,
  closed?: Closed,
) =>
  Effect.gen(function* () {
    const { proxying, forwarding, env, UpstreamFetch } = yield* parts()
    const routes = yield* attempt(async () => proxying.routes(proxying.withAddresses(env, addresses)))
    const playing = yield* attempt(() => begin(UpstreamFetch.make(forwarding, env)))
    const proxy = yield* opened(
      proxying.answering(
        { routes, env, fetch: playing.run.fetch },
        { ...(yield* listening(means)), calls: CallsOfRun.make(playing.run) },
      ),
    )
    const own = { host: "127.0.0.1", port: Number(new URL(proxy.url).port) }
    const onOpen = (why: string) => Output.note(staysOpen(why))
    const kept = yield* Program.keepingErrors(withVariables(running, proxy.variables), (within) =>
      closed === undefined
        ? Program.start(program, within)
        : Confinement.start(
            program,
            { ...closed, allowed: [own, ...closed.allowed], isReachable: true, onOpen },
            within,
          ),
    )
    yield* noteUnrecorded(proxy.unrecorded)
    const wrong = seenBy(means, playing.playback.ended())
    const found = wrong === undefined ? null : { tag: wrong._tag, message: wrong.message }
    const ran: Program.Ran = { ...kept, report: { compared: { found, ...playing.playback.counts() } } }
    return { playing, ran }
  })

const staysOpen = (why: string): string =>
  `The program keeps its network access: ${why}. Only its requests through the proxy are answered from the recording.`

/** Names the proxy in an error about a program that reached no proxy. */
const seenBy = (means: NonNullable<RecorderMeans["means"]>, wrong: Diverged | NothingReplayed | undefined) => {
  if (wrong?._tag !== "NothingReplayed" || (means !== "proxy" && means !== "intercept")) return wrong
  const { taskId, recorded, first } = wrong
  return new NothingReplayed({ taskId, recorded, first, means })
}

/** Loads the proxy's modules on first use. */
export const parts = () =>
  Effect.gen(function* () {
    const [proxying, OutgoingRequests, UpstreamFetch] = yield* Effect.promise(() =>
      Promise.all([
        import("../../record/proxy/ProviderProxy.ts"),
        import("../../record/proxy/OutgoingRequests.ts"),
        import("../../record/proxy/UpstreamFetch.ts"),
      ]),
    )
    const forwarding = yield* Effect.acquireRelease(Effect.sync(OutgoingRequests.make), ({ close }) =>
      Effect.sync(close),
    )
    return { proxying, forwarding, UpstreamFetch, env: process.env as Environment }
  })

/**
 * Listening options. To intercept, the proxy writes its certificate authority to a directory that the scope removes.
 */
const listening = (means: ProxyMeans) =>
  Effect.map(Program.temporaryDirectory, (directory) =>
    means === "intercept" ? { trusted: path.join(directory, "trusted.pem") } : {},
  )

export const opened = <A extends { readonly close: () => Promise<void> }>(
  starting: Promise<A>,
): Effect.Effect<A, Error, Scope.Scope> =>
  Effect.acquireRelease(
    attempt(() => starting),
    ({ close }) => Effect.promise(close),
  )

/** Turns a rejection into an error of the command. Errors without a tag are reported as bugs. */
export const attempt = <A>(does: (signal: AbortSignal) => Promise<A>): Effect.Effect<A, Error> =>
  Effect.tryPromise({
    try: does,
    catch: (error) => (error instanceof Error ? error : new Error(String(error))),
  })

const withVariables = (running: Program.Running, variables: { readonly [name: string]: string }): Program.Running => ({
  ...running,
  env: { ...running.env, ...variables },
})

/** Says which connections were passed on or refused, and not recorded. */
export const noteUnrecorded = (counts: ReadonlyMap<string, number>) =>
  Effect.forEach(
    counts,
    ([place, number]) => Output.note(`Not recorded: ${count(number, "connection")} to ${place}.`),
    { discard: true },
  )
