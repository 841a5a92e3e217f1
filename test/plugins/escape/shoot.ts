import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import * as readline from "node:readline"
import { Effect, Schema } from "effect"
import type { CoreNewEvent } from "../../../src/events/log/EventLog.ts"
import { DEFAULTS, type SandboxLimits } from "../../../src/plugins/sandbox/Limits.ts"
import type { Layer } from "../../../src/plugins/sandbox/layers/Layer.ts"
import * as Sandbox from "../../../src/plugins/sandbox/Sandbox.ts"
import * as Tools from "../../../src/plugins/sandbox/Tools.ts"
import { Json } from "../../../src/values/Json.ts"
import { startRecording, temporaryDirectory, writeFiles } from "../fixtures.ts"
import { confiningBy, inLayer } from "../layers.ts"
import type { Attempts } from "./attempts/Attempt.ts"
import { freeProgram, pluginEntry } from "./entry.ts"
import { type Answer, build, type Range, type Verdict } from "./range.ts"

const AnswerSchema = Schema.Struct({ did: Schema.Literal("returned", "threw", "hung"), value: Schema.String })

const toAnswer = Schema.decodeUnknownSync(AnswerSchema)

export type Verdicts = ReadonlyMap<string, Verdict>

/** Makes all attempts in a plugin's process, which may read the workspace and nothing else; in a new one where it ends. */
export const inSandbox = (layer: Layer, attempts: Attempts, limits: SandboxLimits = {}): Effect.Effect<Verdicts> =>
  Effect.gen(function* () {
    const verdicts = new Map<string, Verdict>()
    const names = Object.keys(attempts)
    while (names.length > 0) yield* Effect.scoped(oneProcess(names, verdicts, attempts, limits))
    return verdicts
  }).pipe(inLayer(layer), Effect.orDie)

const oneProcess = (names: Array<string>, verdicts: Map<string, Verdict>, attempts: Attempts, limits: SandboxLimits) =>
  Effect.gen(function* () {
    const events: Array<CoreNewEvent> = []
    const plugin = { entry: pluginEntry(attempts), actuators: ["attempt"], permissions: { read: ["."] }, limits }
    process.env.HINDCAST_TEST_CANARY = "variable-of-the-host"
    const started = yield* startRecording(plugin, events)
    const range = yield* opened(path.dirname(started.workspace))
    process.env.HINDCAST_TEST_CANARY = range.canaries.variable
    for (let name = names.shift(); name !== undefined; name = names.shift()) {
      range.reset()
      const at = Schema.decodeUnknownSync(Json)({ ...range.places() })
      const answer = yield* started.process.act("attempt", { name, at }).pipe(
        Effect.map(({ result }): Answer => toAnswer(result)),
        Effect.catchAll((error) => Effect.succeed<Answer>({ did: "ended", value: `${error._tag}: ${error.message}` })),
      )
      const said = JSON.stringify(events.splice(0))
      verdicts.set(name, yield* Effect.promise(() => range.judge(answer, said)))
      if (answer.did === "ended") return
    }
  })

/** A Deno that may do everything. */
const FREE = ["run", "-A", "--unstable-worker-options", "--quiet", "--no-config"]

/** How a program is started: with what before it, and what in its environment besides. */
interface Starting {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly env: NodeJS.ProcessEnv
}

/** Makes all attempts in a Deno that may do everything: what does not escape here, does not show anything there. */
export const inFreedom = (attempts: Attempts): Effect.Effect<Verdicts> =>
  Effect.flatMap(Tools.find, ({ deno }) =>
    outside(attempts, (base, range) => ({
      command: deno,
      args: [...FREE, path.join(base, "plugin/main.ts")],
      env: { ...process.env, ...range.environment, DENO_DIR: path.join(base, "deno"), NO_COLOR: "1" },
    })),
  ).pipe(Effect.orDie)

/** Makes all attempts in a Deno that may do everything, with nothing to hold it but a layer of the operating system. */
export const inLayerAlone = (layer: Layer, attempts: Attempts): Effect.Effect<Verdicts> =>
  outside(attempts, (base) => {
    const confining = confiningBy(layer)
    fs.mkdirSync(path.join(base, "deno"), { recursive: true })
    const [directory, workspace, denoDir] = ["plugin", "workspace", "deno"].map((name) => path.join(base, name))
    const runner = path.join(base, "plugin/main.ts")
    const grants = { read: [workspace ?? ""], write: [], net: [], env: [], run: [], runAny: false }
    const limits = { ...DEFAULTS, memoryMiB: 3_000, niceness: 0 }
    return Sandbox.confined(
      confining,
      { runner, directory: directory ?? "", denoDir: denoDir ?? "", grants, limits },
      [confining.tools.deno, ...FREE, runner],
      "nothing",
    )
  })

const outside = (attempts: Attempts, starting: (base: string, range: Range) => Starting): Effect.Effect<Verdicts> =>
  Effect.gen(function* () {
    const verdicts = new Map<string, Verdict>()
    const base = yield* temporaryDirectory
    const range = yield* opened(base)
    const names = Object.keys(attempts)
    while (names.length > 0) {
      yield* writeFiles(base, { "plugin/main.ts": freeProgram(attempts), "workspace/note.txt": "note" })
      yield* Effect.promise(() => freely(starting(base, range), base, range, names, verdicts))
    }
    return verdicts
  }).pipe(Effect.scoped, Effect.orDie)

const freely = async (
  { command, args, env }: Starting,
  base: string,
  range: Range,
  names: Array<string>,
  verdicts: Map<string, Verdict>,
): Promise<void> => {
  const child = spawn(command, args, { cwd: path.join(base, "plugin"), env, stdio: ["pipe", "pipe", "ignore"] })
  child.stdin.on("error", () => undefined)
  const lines = readline.createInterface({ input: child.stdout })
  const next = () =>
    new Promise<Answer>((resolve) => {
      const onClose = () => resolve({ did: "ended", value: "" })
      lines.on("line", function take(line: string) {
        if (!line.startsWith("=")) return
        lines.off("line", take)
        lines.off("close", onClose)
        resolve(toAnswer(JSON.parse(line.slice(1))))
      })
      lines.once("close", onClose)
    })
  try {
    for (let name = names.shift(); name !== undefined; name = names.shift()) {
      // The directory itself stays: it may be mounted.
      for (const left of fs.readdirSync(path.join(base, "workspace"))) {
        fs.rmSync(path.join(base, "workspace", left), { recursive: true, force: true })
      }
      range.reset()
      const answered = next()
      child.stdin.write(`${JSON.stringify({ name, at: range.places() })}\n`)
      const answer = await answered
      verdicts.set(name, await range.judge(answer, ""))
      if (answer.did === "ended") return
    }
  } finally {
    child.kill("SIGKILL")
  }
}

const opened = (base: string) =>
  Effect.acquireRelease(
    Effect.promise(() => build(base)),
    (range) => Effect.promise(() => range.close()),
  )
