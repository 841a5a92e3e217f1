/** The option `--share` of `hindcast studio`: serves the logs of a file to a team, with accounts and roles. */
import * as fs from "node:fs"
import { Context, Effect, Layer, Option } from "effect"
import { EventLog, type LogError } from "../../events/log/EventLog.ts"
import type { Agent } from "../../kernel/agents/Agent.ts"
import * as Confirmations from "../../kernel/gate/Confirmations.ts"
import { Kernel } from "../../kernel/Kernel.ts"
import { userName } from "../../platform/user/Machine.ts"
import type { Forking, Role } from "../../studio/Allowed.ts"
import * as Studio from "../../studio/Studio.ts"
import type * as Routes from "../../studio/server/Routes.ts"
import * as TeamServer from "../../studio/server/TeamServer.ts"
import * as AccessRecord from "../../studio/team/AccessRecord.ts"
import * as Accounts from "../../studio/team/Accounts.ts"
import * as OpenLogs from "../../studio/team/OpenLogs.ts"
import * as SecretFile from "../../studio/team/SecretFile.ts"
import * as ShareFile from "../../studio/team/ShareFile.ts"
import { oneLine } from "../../values/PlainText.ts"
import { conducted } from "../../worlds/scenario/Scenario.ts"
import { BadInput } from "../command/BadInput.ts"
import { isGiven, type OptionValue, optionalText } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as TrustLog from "../command/TrustLog.ts"
import * as HealthServer from "../health/HealthServer.ts"
import * as AgentAtWork from "../task/AgentAtWork.ts"
import * as AgentOption from "../task/AgentOption.ts"
import type * as Style from "../terminal/Style.ts"
import * as UntilEnded from "../terminal/UntilEnded.ts"
import * as SharedKernel from "./SharedKernel.ts"

export const option = optionalText(
  "share",
  "Serve the logs of this file (YAML) to a team: addresses, TLS or a proxy, accounts, roles. Without it, Studio is for this machine alone",
)

/** The options and the argument of `hindcast studio`, without `--share`. */
export interface Given extends AgentOption.TypedAgents, AgentAtWork.KernelInput {
  readonly log: Option.Option<string>
  readonly json: boolean
  readonly link: Option.Option<string>
  readonly port: Option.Option<number>
  readonly answer: boolean
  readonly fork: boolean
  readonly annotate: boolean
  readonly write: boolean
  readonly scenarios: ReadonlyArray<string>
  readonly draw: ReadonlyArray<string>
  readonly health: Option.Option<string>
}

/** Serves until the program ends. */
export const serve = (file: string, given: Given) =>
  Effect.gen(function* () {
    yield* checked(given)
    const share = yield* ShareFile.read(file)
    const tls = share.tls === undefined ? undefined : yield* tlsOf(share.tls)
    const secretFile = share.proxy?.secretFile
    const proxySecret = secretFile === undefined ? undefined : yield* secretIn(secretFile)
    const accounts = share.accounts === undefined ? undefined : yield* Accounts.open(share.accounts)
    const agents = yield* agentsOf(given)
    const record = yield* AccessRecord.open(share.accessRecord)
    const openable = yield* Effect.forEach(share.logs, (named) => openableOf(named, share, agents, given))
    const logs = yield* OpenLogs.make(openable)
    const port = yield* TeamServer.serve({ share, tls, proxySecret, accounts, record, logs })
    // Damaged and missing logs are reported now, not when the first person asks.
    yield* Effect.forEach(logs.values(), (log) => Effect.ignore(log.services(false)), { discard: true })
    const states = [...logs].map(([id, { isOpen }]) => ({ id, open: isOpen() }))
    yield* HealthServer.serveWithoutLog(given.health, anyAnswers([...logs.values()]))
    yield* UntilEnded.begin
    const at = `${share.listen.address}:${port}`
    const told = { urls: share.origins, address: share.listen.address, port, logs: states }
    // On one line, so that a program that starts Studio knows when it listens.
    yield* given.json
      ? Output.writeWhole(JSON.stringify(told))
      : Output.show(false, {}, (style) => lines(style, share, at, states))
    return yield* Effect.never
  }).pipe(Effect.scoped)

/**
 * Succeeds while one of the logs answers. It opens those again that could not be opened, because an orchestrator lets
 * no person ask a Studio that is not ready.
 *
 * @internal
 */
export const anyAnswers = (
  logs: ReadonlyArray<Pick<OpenLogs.OpenLog<EventLog>, "services">>,
): Effect.Effect<void, HealthServer.NotReady | LogError> =>
  Effect.raceAll(
    logs.map(({ services }) => Effect.flatMap(services(false), (opened) => Context.get(opened, EventLog).head)),
  ).pipe(
    Effect.asVoid,
    Effect.mapError((error) => (error._tag === "LogCorrupt" ? error : { reason: "no log can be opened" })),
  )

/** The file decides about everything that these options say for one person. */
const checked = ({ log, link, port, answer, fork, annotate, write, scenarios, draw }: Given) => {
  const others: { readonly [name: string]: OptionValue } = {
    "--log": log,
    LINK: link,
    "--port": port,
    "--answer": answer,
    "--fork": fork,
    "--annotate": annotate,
    "--write": write,
    "--scenarios": scenarios,
    "--draw": draw,
  }
  const found = Object.keys(others).filter((name) => isGiven(others[name] ?? false))
  return found.length === 0
    ? Effect.void
    : new BadInput({
        input: "--share",
        expected: "its file alone, which names the logs, the address and the roles",
        found: `${found.join(", ")} with it`,
      })
}

const tlsOf = ({ certificate, key }: NonNullable<ShareFile.ShareFile["tls"]>) =>
  Effect.gen(function* () {
    const pem = { key: yield* SecretFile.read(key), cert: yield* publicFile(certificate) }
    const { createSecureContext } = yield* Effect.promise(() => import("node:tls"))
    yield* Effect.try({
      try: () => createSecureContext(pem),
      catch: (cause) =>
        new BadInput({
          input: `tls (${certificate}, ${key})`,
          expected: "a certificate and its key, as PEM",
          found: cause instanceof Error ? cause.message : String(cause),
        }),
    })
    return pem
  })

const publicFile = (file: string) =>
  Effect.try({
    try: () => fs.readFileSync(file, "utf8"),
    catch: (cause) =>
      new SecretFile.ShareFileRefused({
        file,
        expected: "a certificate as PEM",
        found: cause instanceof Error ? cause.message : String(cause),
        missing: !fs.existsSync(file),
      }),
  })

/** In characters: nobody guesses such a text. */
const SHORTEST_SECRET = 24

const secretIn = (file: string) =>
  Effect.filterOrFail(
    Effect.map(SecretFile.read(file), (text) => text.trim()),
    (secret) => secret.length >= SHORTEST_SECRET && /^[\x21-\x7e]+$/.test(secret),
    () =>
      new SecretFile.ShareFileRefused({
        file,
        expected: `a line of at least ${SHORTEST_SECRET} ASCII characters without spaces, such as from \`openssl rand -hex 32\``,
        found: "another text",
        missing: false,
      }),
  )

const agentsOf = (given: Given) =>
  Effect.map(
    AgentOption.loadAll(given, "live"),
    ({ named, other }) =>
      new Map<string, Agent>([
        ...(other === undefined ? [] : [[other.name, other] as const]),
        ...Object.entries(named),
      ]),
  )

/** A log that is opened as `hindcast studio` opens one, with what anybody's role on it needs. */
const openableOf = (
  named: ShareFile.NamedLog,
  share: ShareFile.ShareFile,
  agents: ReadonlyMap<string, Agent>,
  given: Given,
) =>
  Effect.gen(function* () {
    const log = Option.some(named.file)
    const isGranted = (role: Role) =>
      (named.roles?.includes(role) ?? true) && share.roles.some(({ may }) => may.includes(role))
    const [answer, annotate, write] = [isGranted("answer"), isGranted("annotate"), isGranted("write")]
    const isWriting = answer || annotate || write
    const forks = isGranted("fork") && agents.size > 0
    // Nobody sits at the terminal when a log is opened again.
    const acting = { ...given, json: true }
    const inKernel = yield* SharedKernel.make(yield* AgentAtWork.kernel("studio", named.file, acting))
    const run: Forking["run"] = (agent, options) =>
      inKernel(Effect.flatMap(Kernel, (kernel) => kernel.fork(conducted(agent), options)))
    const services = Studio.ofLog({
      ...{ answer, annotate, write, talk: null, by: userName(), notes: [] },
      forks: forks ? { agents, run } : null,
    })
    const opened = (personal: boolean): Layer.Layer<Routes.Needs, unknown> =>
      isWriting
        ? Layer.provideMerge(services, OpenLog.forWriting(log, undefined, { personal }))
        : services.pipe(Layer.provideMerge(Confirmations.layer), Layer.provideMerge(OpenLog.forPast(log, { personal })))
    const trusted = isWriting || forks ? Effect.provide(TrustLog.settled(acting), OpenLog.forPast(log)) : Effect.void
    return { named, open: (personal: boolean) => Layer.unwrapEffect(Effect.as(trusted, opened(personal))) }
  })

const lines = (
  style: Style.Style,
  share: ShareFile.ShareFile,
  at: string,
  states: ReadonlyArray<{ readonly id: string; readonly open: boolean }>,
) => [
  ...share.origins,
  "",
  `Listening on ${at} ${share.tls === undefined ? "without TLS, for the proxy that the file names" : "with TLS"}. People ${share.accounts === undefined ? "come through the proxy, which names them" : "sign in with a password"}.`,
  ...states.map(({ id, open }) => `  ${id}${open ? "" : style.bad(" could not be opened; the others can")}`),
  style.dim(`Every request is recorded in ${oneLine(share.accessRecord)}. Press Ctrl-C to stop.`),
]
