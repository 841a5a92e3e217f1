/** Records the run of a program that has an agent of its own: its requests to models, its tools, what it asks of the world. */

import { Effect, Exit, Layer, Logger, LogLevel, Scope } from "effect"
import type { GateConfig } from "../kernel/gate/Gate.ts"
import * as Layers from "../kernel/Hindcast.ts"
import { Kernel } from "../kernel/Kernel.ts"
import * as GrowingProgram from "../kernel/program/GrowingProgram.ts"
import * as KeptAlive from "../platform/KeptAlive.ts"
import * as Calls from "../promise/Calls.ts"
import { visibleLines } from "../values/PlainText.ts"
import * as Conversations from "./Conversations.ts"
import * as IoCalls from "./IoCalls.ts"
import type { PassedBody } from "./RecordedBody.ts"
import * as RecordedFetch from "./RecordedFetch.ts"
import * as RecordOptions from "./RecordOptions.ts"
import * as Redaction from "./Redaction.ts"
import { NameTaken, type Run, RunEnded } from "./Run.ts"
import * as RunLog from "./RunLog.ts"
import * as ToolCalls from "./ToolCalls.ts"

/** The gate of a run for which none is given: its program asked nobody before either. */
const NO_GATE: GateConfig = { rules: [{ name: "recorded", decision: "allow" }] }

/**
 * Opens a log and a task in it, and records what a program does by the calls of the run. The promise is rejected with
 * `InvalidOptions`, which names every mistake in the options, with `LeaseHeld` if another program works on the log, and
 * with the other errors of opening a log.
 *
 * @example
 * const run = await record({ log: "agent.db", goal: "Answer a letter", agent: "clerk" })
 * const openai = new OpenAI({ fetch: run.fetch })
 * await run.end("achieved")
 */
export const record = async (options: RecordOptions.RecordOptions): Promise<Run> => {
  const { log: file, onLogFailure = "go-on", secrets, gate, agent, ...decoded } = RecordOptions.decode(options)
  const program = GrowingProgram.make()
  let hasFailed = () => false
  const { kernel, task, calls } = await KeptAlive.during(
    open(decoded, { log: file, gate: gate ?? NO_GATE, owner: agent }, agent, program, () => hasFailed()),
  )
  const taskId = task.id
  const log = RunLog.make({ taskId, log: file, onLogFailure, tell: (events) => calls.run(task.tell(agent, events)) })
  hasFailed = log.hasFailed
  const parts = { log, redaction: Redaction.make(secrets) }
  let isEnded = false
  const assertOpen = (call: string) => {
    if (isEnded) throw new RunEnded({ taskId, call })
  }
  const names = new Set<string>()
  const claim = (kind: NameTaken["kind"], name: string) => {
    assertOpen(`run.${kind}`)
    RecordOptions.nameOf(`run.${kind}`, name)
    if (names.has(name)) throw new NameTaken({ kind, name })
    names.add(name)
  }
  /** A recorded function that refuses to be called after the end. */
  const whileOpen =
    <Args extends ReadonlyArray<unknown>, Answer>(call: string, does: (...args: Args) => Promise<Answer>) =>
    async (...args: Args): Promise<Answer> => {
      assertOpen(call)
      return does(...args)
    }
  const toolOf = ToolCalls.make({
    ...{ ...parts, program, isGated: gate !== undefined },
    declare: () => calls.run(kernel.plugins.declare(program)),
    act: (actuator, args) => calls.run(task.act(actuator, args)),
  })
  const bodies = new Set<PassedBody>()
  const fetch = decoded.fetch ?? globalThis.fetch

  return {
    taskId,
    fetch: RecordedFetch.make({ ...parts, conversations: Conversations.make(), fetch, assertOpen, open: bodies }),
    tool: (name, does, options) => {
      claim("tool", name)
      return whileOpen(name, toolOf(name, does, RecordOptions.toolOptions(options)))
    },
    sensor: (name, reads) => {
      claim("sensor", name)
      return whileOpen(name, IoCalls.sensor(parts, name, reads))
    },
    io: (name, does) => {
      claim("io", name)
      return whileOpen(name, IoCalls.io(parts, name, does))
    },
    now: () => {
      assertOpen("run.now")
      return IoCalls.now(parts)
    },
    random: () => {
      assertOpen("run.random")
      return IoCalls.random(parts)
    },
    end: async (outcome, reason) => {
      assertOpen("run.end")
      const ended = RecordOptions.endOf(outcome, reason)
      isEnded = true
      try {
        for (const body of bodies) await body.leave()
        await log.settled()
        await log.attempt(() => calls.run(task.close(ended.outcome, ended.reason)))
      } finally {
        await KeptAlive.during(calls.close())
      }
    },
  }
}

/**
 * What a kernel has to say becomes warnings of the process: the program's output may be read by another. After the log
 * has failed, which is said once, there is nothing new in it.
 */
const warnings = (isSilent: () => boolean) =>
  Logger.replace(
    Logger.defaultLogger,
    Logger.make(({ message, logLevel }) => {
      if (isSilent() || LogLevel.lessThan(logLevel, LogLevel.Warning)) return
      process.emitWarning(visibleLines([message].flat().map(String).join("\n")), { type: "HindcastWarning" })
    }),
  )

/**
 * Opens a log with a kernel, and a task.
 *
 * @param isSilent whether the kernel's warnings are left out
 */
const open = async (
  { goal, id }: Pick<RecordOptions.RecordOptions, "goal" | "id">,
  settings: Layers.HindcastOptions,
  agent: string,
  program: GrowingProgram.GrowingProgram,
  isSilent: () => boolean,
) => {
  const scope = Effect.runSync(Scope.make())
  const close = () => Calls.run(Scope.close(scope, Exit.void))
  try {
    const layer = Layer.provideMerge(
      Layers.layerOfProgram(settings, program),
      Layer.merge(warnings(isSilent), KeptAlive.layer),
    )
    const runtime = await Calls.run(Scope.extend(Layer.toRuntime(layer), scope))
    const calls = Calls.make(String(settings.log), runtime, scope)
    const kernel = await Calls.run(Effect.provide(Kernel, runtime))
    // A task without a kernel's plugins: the program has its own tools.
    const task = await calls.run(
      kernel.tasks.open({ goal, agent, plugins: [program.manifest.name], ...(id === undefined ? {} : { id }) }),
    )
    return { kernel, task, calls }
  } catch (error) {
    await close()
    throw error
  }
}
