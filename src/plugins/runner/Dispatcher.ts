/** Calls the plugin's functions on request of the host. */
import type { PluginContext, Provider, TaskEvent } from "../author.ts"
import { exit } from "./Captured.ts"
import { contexts } from "./Context.ts"
import { emitter } from "./Emitter.ts"
import type { AnyPlugin } from "./Entry.ts"
import type { Send } from "./Frames.ts"
import { generate as generateBy, providerOf } from "./Generating.ts"
import type { HostFrame, Init } from "./HostFrame.ts"
import { hostRequests } from "./HostRequests.ts"
import { openCalls } from "./OpenCalls.ts"
import { isThenable } from "./Outcome.ts"
import { sfc32 } from "./RandomNumbers.ts"
import { packer } from "./world/Packing.ts"
import { isWorld, serve } from "./world/ServedWorld.ts"

/** Returns the handler of host frames. */
export const dispatcher = (init: Init, plugin: AnyPlugin, send: Send): ((frame: HostFrame) => void) => {
  const calls = openCalls(send)
  const requests = hostRequests(send)
  const emit = emitter(init, plugin, requests.ask)
  const { environment } = plugin
  const world = isWorld(environment) && init.world !== undefined ? serve(environment, init.world, init.seed) : undefined
  // A plugin may replace its exports. The host refuses an entry with a world that the manifest does not declare.
  const served = () => world ?? (isWorld(plugin.environment) ? undefined : plugin.environment)
  const contextOf = contexts({ init, send, calls, requests, emit })
  const pack = packer()
  let metadata = init.metadata

  const missing = (id: number, message: string): void => {
    send({ type: "error", id, error: { code: "NoSuchComponent", message } })
  }

  const metadataOf = (component: string) => {
    const { components } = metadata
    return (Object.hasOwn(components, component) ? components[component] : undefined) ?? {}
  }

  const call = (frame: Extract<HostFrame, { readonly type: "read" | "act" }>) => {
    const { id, component, now, agent = null } = frame
    const [own, ofWorld] =
      frame.type === "read" ? [plugin.sensors, world?.sensors] : [plugin.actuators, world?.actuators]
    const run = functionIn(ofWorld, component) ?? functionIn(own, component)
    if (run === undefined) {
      return missing(id, `there is no ${frame.type === "read" ? "sensor" : "actuator"} ${component}`)
    }
    calls.answer(id, frame.type === "act" ? served() : undefined, (open) => {
      const commandId = frame.type === "act" ? frame.commandId : undefined
      const context = contextOf(open, component, metadataOf(component), now, agent, commandId)
      return frame.type === "act" ? run(context, frame.args) : run(context)
    })
  }

  const settle = (frame: Extract<HostFrame, { readonly type: "settle" }>) => {
    const { id, component, commandId, args, now, agent = null } = frame
    const run = Object.hasOwn(plugin.settle ?? {}, component) ? plugin.settle?.[component] : undefined
    if (run === undefined) return missing(id, `there is no settle of ${component}`)
    calls.answer(id, served(), (open) => {
      const context = contextOf(open, component, metadataOf(component), now, agent, commandId)
      // Inherits members that are created on first access, such as the signal.
      const asking = Object.assign(Object.create(context) as PluginContext, { writeFile: refuseToWrite })
      return run(asking, commandId, args)
    })
  }

  const reset = ({ id, options, state, now, agents, seed }: Extract<HostFrame, { readonly type: "reset" }>) => {
    const environment = served()
    if (environment === undefined) return missing(id, "there is no environment")
    if (state !== undefined && environment.restore === undefined) return missing(id, "there is no environment.restore")
    calls.answer(id, environment, async (open) => {
      const context = contextOf(open, "environment/", metadata.plugin, now, null)
      if (state !== undefined) await environment.restore?.(context, options, state)
      else await environment.reset(context, options, { agents, seed })
      return null
    })
  }

  const callWorld = (frame: Extract<HostFrame, { readonly type: "round" | "join" | "leave" | "tick" }>) => {
    const { id, now } = frame
    if (world === undefined) return missing(id, "there is no world")
    calls.answer(id, world, (open) => {
      const context = contextOf(open, "environment/", metadata.plugin, now, null)
      switch (frame.type) {
        case "round":
          return world.round(context, frame.actions)
        case "tick":
          return world.tick(context, frame.milliseconds)
        case "join":
        case "leave":
          return world[frame.type](context, frame.agent)
      }
    })
  }

  /** The answer holds each slot's state, so the frame holds none. */
  const callSlots = ({ id, calls: asked, now, packed }: Extract<HostFrame, { readonly type: "slots" }>) => {
    if (world === undefined) return missing(id, "there is no world")
    calls.answer(id, undefined, (open) => {
      const answers = world.slots(contextOf(open, "environment/", metadata.plugin, now, null), asked)
      if (packed !== true) return answers
      return isThenable(answers) ? answers.then(pack) : pack(answers)
    })
  }

  const judge = ({ id, measure, task, now }: Extract<HostFrame, { readonly type: "judge" }>) => {
    const run = Object.hasOwn(plugin.measures ?? {}, measure) ? plugin.measures?.[measure] : undefined
    if (run === undefined) return missing(id, `there is no function for the measure ${measure}`)
    calls.answer(id, undefined, (open) => {
      const context = contextOf(open, "", task.measure.metadata ?? {}, now, null)
      // A generator per task: its numbers do not depend on tasks judged before.
      const random = sfc32(`${init.seed}/${measure}/${task.id}`)
      const ask = (after: number) => requests.ask({ type: "page", call: id, after }, id)
      return run({ ...context, random }, { ...task, events: chunked(ask) })
    })
  }

  const hear = ({ id, listener, request, now }: Extract<HostFrame, { readonly type: "hear" }>) => {
    const run = Object.hasOwn(plugin.listeners ?? {}, listener) ? plugin.listeners?.[listener] : undefined
    if (run === undefined) return missing(id, `there is no listener ${listener}`)
    calls.answer(id, undefined, (open) => run(contextOf(open, `listener/${listener}`, {}, now, null), request))
  }

  let provider: Provider | undefined
  const generate = ({
    id,
    model,
    history,
    tools,
    settings,
    now,
  }: Extract<HostFrame, { readonly type: "generate" }>) => {
    calls.answer(id, undefined, (open) => {
      provider ??= providerOf(plugin, init.variables)
      if (provider === undefined) throw Object.assign(new Error("there is no provider"), { code: "NoSuchComponent" })
      const own = contextOf(open, `provider/${model}`, metadata.plugin, now, null)
      // Inherits members that are created on first access, such as the signal.
      const context = Object.assign(Object.create(own) as PluginContext, { model, settings })
      return generateBy(provider, { history, tools, context }, open, calls, send)
    })
  }

  return (frame) => {
    switch (frame.type) {
      case "read":
      case "act":
        return call(frame)
      case "settle":
        return settle(frame)
      case "round":
      case "join":
      case "leave":
      case "tick":
        return callWorld(frame)
      case "slots":
        return callSlots(frame)
      case "judge":
        return judge(frame)
      case "hear":
        return hear(frame)
      case "reset":
        return reset(frame)
      case "generate":
        return generate(frame)
      case "part":
        return requests.part(frame.id, frame.text)
      case "cancel":
        if (calls.cancel(frame.id)) requests.cancelCall(frame.id)
        return
      case "ping":
        send({ type: "ok", id: frame.id, value: null })
        return
      case "answer":
        return requests.answer(frame)
      case "shutdown":
        return exit(0)
      case "metadata":
        metadata = frame.metadata
        return
    }
  }
}

/** `settle` must change nothing. */
const refuseToWrite = async (): Promise<never> => {
  throw Object.assign(new Error("expected settle to change nothing, found a file to write"), { code: "SettleWrites" })
}

type Call = (context: PluginContext, args?: unknown) => unknown

/** A component's function. The plugin may have exported anything there. */
const functionIn = (
  functions: { readonly [name: string]: Call } | null | undefined,
  component: string,
): Call | undefined =>
  functions !== undefined && functions !== null && Object.hasOwn(functions, component)
    ? functions[component]
    : undefined

/** Iterates over a task's events, requesting chunks on demand. */
const chunked = (ask: (after: number) => Promise<unknown>): AsyncIterable<TaskEvent> => ({
  async *[Symbol.asyncIterator]() {
    for (let after = 0; ; ) {
      const chunk = (await ask(after)) as { readonly events: ReadonlyArray<TaskEvent>; readonly more: boolean }
      yield* chunk.events
      const last = chunk.events.at(-1)
      if (!chunk.more || last === undefined) return
      after = last.position
    }
  },
})
