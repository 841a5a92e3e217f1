/**
 * The main module of every plugin's process, in Deno. It imports the plugin's entry, tells the host what that exports,
 * and then answers calls, one JSON object a line (see `Protocol.ts`).
 *
 * One file without imports, so that nothing has to be readable to the sandbox for it. It is trusted to be loaded first,
 * not to be stronger than the plugin: what it captures keeps a careless plugin from breaking the protocol, and the
 * sandbox and the host keep a hostile one from gaining anything by it.
 */
import type {
  Environment,
  FetchResult,
  Json,
  JsonObject,
  JudgedTask,
  Plugin,
  PluginContext,
  RunResult,
  TaskEvent,
} from "../author.ts"

/** The part of Deno that is used here. */
interface DenoApi {
  stdin: { read(into: Uint8Array): Promise<number | null> }
  stdout: { writeSync(bytes: Uint8Array): number }
  stderr: unknown
  inspect(value: unknown): string
  exit(code: number): never
}

interface Init {
  readonly nonce: string
  readonly entry: string
  readonly variables: JsonObject
  readonly metadata: Metadata
  readonly seed: number
  readonly workspace: string
  readonly precomputed: string | null
  readonly frameLimit: number
  readonly readingsInFlight: number
}

/** What the host sends: trusted, it is the parent process. */
type HostFrame =
  | ({ readonly type: "init" } & Init)
  | { readonly type: "read"; readonly id: number; readonly component: string; readonly now: number }
  | {
      readonly type: "act"
      readonly id: number
      readonly component: string
      readonly args: JsonObject
      readonly now: number
    }
  | {
      readonly type: "reset"
      readonly id: number
      readonly options: JsonObject
      readonly state?: Json
      readonly now: number
    }
  | {
      readonly type: "judge"
      readonly id: number
      readonly measure: string
      readonly task: Omit<JudgedTask, "events"> & { readonly measure: { readonly metadata?: JsonObject } }
      readonly now: number
    }
  | { readonly type: "cancel" | "ping"; readonly id: number }
  | { readonly type: "answer"; readonly id: number; readonly value?: Json; readonly error?: Failure }
  | { readonly type: "metadata"; readonly metadata: Metadata }
  | { readonly type: "shutdown" }

interface Metadata {
  readonly plugin: JsonObject
  readonly components: { readonly [name: string]: JsonObject }
}

interface Failure {
  readonly code: string
  readonly message: string
}

// Captured before the plugin is imported: it may replace every global.
const { Deno } = globalThis as unknown as { readonly Deno: DenoApi }
const { stdin, stdout, inspect } = Deno
const exit: (code: number) => never = Deno.exit.bind(Deno)
const { parse, stringify } = JSON
const resolved: (value: unknown) => Promise<unknown> = Promise.resolve.bind(Promise)
const encoder = new TextEncoder()
const decoder = new TextDecoder()
const encode = encoder.encode.bind(encoder)
const decode = decoder.decode.bind(decoder)

const main = (): Promise<never> => {
  let handle: ((line: string) => void) | undefined
  const early: Array<string> = []
  return readLines((line) => {
    if (handle !== undefined) return handle(line)
    // The end of the input means that the host is gone, or wants this process gone, even while the entry still loads.
    if (early.push(line) > 1) return
    const init = parse(line) as Extract<HostFrame, { readonly type: "init" }>
    const send = sender(init)
    hideStreams(send)
    hideGraphics()
    importPlugin(init.entry).then(
      (plugin) => {
        send({ type: "ready", exports: exportsOf(plugin) })
        const dispatch = dispatcher(init, plugin, send)
        handle = (text) => dispatch(parse(text) as HostFrame)
        for (const text of early.slice(1)) handle(text)
      },
      (cause: unknown) => {
        send({ type: "failed", error: describe(cause) })
        exit(1)
      },
    )
  })
}

/** Tells each line of the input, however it was cut into chunks; at the end of the input, the process ends. */
const readLines = async (onLine: (line: string) => void): Promise<never> => {
  const buffer = new Uint8Array(64 * 1024)
  let parts: Array<Uint8Array> = []
  for (;;) {
    const count = await stdin.read(buffer)
    if (count === null) return exit(0)
    let start = 0
    for (let end = buffer.indexOf(10); end !== -1 && end < count; end = buffer.indexOf(10, start)) {
      const last = buffer.subarray(start, end)
      start = end + 1
      if (parts.length === 0) onLine(decode(last))
      else {
        const line = decode(concatenate([...parts, last]))
        parts = []
        onLine(line)
      }
    }
    if (start < count) parts.push(buffer.slice(start, count))
  }
}

const concatenate = (parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let offset = 0
  for (const part of parts) {
    whole.set(part, offset)
    offset += part.length
  }
  return whole
}

interface Frame {
  readonly type: string
  readonly [field: string]: unknown
}

/** Sends a frame. One that is too long is left out: answers why, and an answer to a call is replaced by that. */
type Send = (frame: Frame) => string | undefined

/** Writes frames whole and at once, so that whatever the plugin prints stands between them, never inside. */
const sender = ({ nonce, frameLimit }: Init): Send => {
  const encodeFrame = (frame: object) => encode(`${nonce}${stringify(frame)}\n`)
  return (frame) => {
    const bytes = encodeFrame(frame)
    if (bytes.length <= frameLimit) {
      writeAll(bytes)
      return undefined
    }
    const reason = `expected at most ${frameLimit} bytes, found ${bytes.length}`
    writeAll(encodeFrame(insteadOf(frame, reason)))
    return reason
  }
}

const insteadOf = ({ type, id }: Frame, reason: string): Frame =>
  ANSWERS.includes(type)
    ? { type: "invalid", id, reason }
    : { type: "log", level: "error", message: `${type} frame left out: ${reason}` }

const ANSWERS = ["ok", "error", "invalid"]

const writeAll = (bytes: Uint8Array) => {
  let written = 0
  while (written < bytes.length) {
    try {
      written += stdout.writeSync(bytes.subarray(written))
    } catch (error) {
      // A plugin that touches `process.stdout` makes the pipe non-blocking: then wait until the host has read some.
      if (!(error instanceof Error) || error.name !== "WouldBlock") throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
    }
  }
}

/** Makes what a plugin prints a log line, and keeps it from reading the host's frames. */
const hideStreams = (send: Send) => {
  const endless = { read: async () => null, readSync: () => null, close: () => undefined, isTerminal: () => false }
  Object.defineProperty(Deno, "stdin", { value: endless })
  Object.defineProperty(Deno, "stdout", { value: Deno.stderr })
  const print =
    (level: string) =>
    (...values: ReadonlyArray<unknown>) =>
      send({ type: "log", level, message: values.map((v) => (typeof v === "string" ? v : inspect(v))).join(" ") })
  Object.assign(console, {
    debug: print("debug"),
    log: print("info"),
    info: print("info"),
    warn: print("warn"),
    error: print("error"),
  })
}

/** WebGPU needs no permission, and loads the machine's graphics libraries where the environment lets it. */
const hideGraphics = () => {
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    if (name.startsWith("GPU")) Reflect.deleteProperty(globalThis, name)
  }
  const { navigator } = globalThis as unknown as { readonly navigator: object }
  Reflect.deleteProperty(Object.getPrototypeOf(navigator), "gpu")
}

/** A computed `import`, so that the plugin's whole module graph is subject to permissions. */
const importPlugin = async (entry: string): Promise<Plugin> => {
  const loaded: { readonly default?: unknown } = await import(entry)
  const plugin = loaded.default
  const wrong = findWrong(plugin)
  if (wrong !== undefined) throw new TypeError(`expected ${wrong}`)
  return plugin as Plugin
}

/** What a default export lacks to be a plugin. */
const findWrong = (plugin: unknown): string | undefined => {
  if (!isRecord(plugin)) return "the entry's default export to be an object with sensors, actuators or environment"
  for (const kind of ["sensors", "actuators", "measures"]) {
    const functions = plugin[kind]
    if (functions === undefined) continue
    if (!isRecord(functions)) return `${kind} to be an object of functions`
    const bad = Object.keys(functions).find((name) => typeof functions[name] !== "function")
    if (bad !== undefined) return `${kind}.${bad} to be a function`
  }
  const world = plugin.environment
  if (world === undefined) return undefined
  const isWorld = isRecord(world) && typeof world.reset === "function" && typeof world.state === "function"
  return isWorld ? undefined : "environment to be an object with the functions reset and state"
}

const isRecord = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const exportsOf = ({ sensors, actuators, environment, measures }: Plugin) => ({
  sensors: Object.keys(sensors ?? {}),
  actuators: Object.keys(actuators ?? {}),
  environment: environment !== undefined,
  restores: typeof environment?.restore === "function",
  measures: Object.keys(measures ?? {}),
})

/** Answers frames. Every call is answered exactly once: by its function, or by its cancellation. */
const dispatcher = (init: Init, plugin: Plugin, send: Send): ((frame: HostFrame) => void) => {
  const calls = new Map<number, OpenCall>()
  const broker = hostBroker(send)
  const emit = emitter(init, plugin, broker.ask)
  const generators = new Map<string, () => number>()
  let metadata = init.metadata

  const randomOf = (component: string): (() => number) => {
    const known = generators.get(component)
    if (known !== undefined) return known
    const made = sfc32(`${init.seed}/${component}`)
    generators.set(component, made)
    return made
  }

  const host = (call: number, method: string, params: object) =>
    broker.ask({ type: "host", call, method, params }, call)

  const contextOf = (open: OpenCall, component: string, described: JsonObject, now: number): PluginContext => ({
    variables: init.variables,
    metadata: described,
    log: (message, level = "info") => send({ type: "log", level, message: String(message) }),
    get signal() {
      return signalOf(open)
    },
    random: randomOf(component),
    now,
    workspace: init.workspace,
    precomputed: init.precomputed,
    run: (command, args = []) => host(open.id, "run", { command, args }) as Promise<RunResult>,
    readFile: (path) => host(open.id, "readFile", { path }) as Promise<string>,
    writeFile: async (path, content) => {
      await host(open.id, "writeFile", { path, content })
    },
    fetch: (url, options = {}) => host(open.id, "fetch", { ...options, url }) as Promise<FetchResult>,
    progress: (value) => {
      const fits = typeof value === "string" ? value.isWellFormed() : value >= 0 && value <= 1
      if (!fits) throw new RangeError(`expected a fraction from 0 to 1 or text, found ${inspect(value)}`)
      if (calls.has(open.id)) send({ type: "progress", id: open.id, value })
    },
    emit,
  })

  const answer = (id: number, world: Environment | undefined, run: (open: OpenCall) => unknown) => {
    const open: OpenCall = { id, cancelled: false }
    calls.set(id, open)
    const finish = (outcome: Outcome) => {
      if (calls.delete(id)) send({ id, ...outcome, ...stateAfter(world, outcome) })
    }
    // What needs no waiting is answered at once: a turn of the event loop costs more than most calls.
    let outcome: Outcome | undefined
    try {
      const value = run(open)
      if (!isThenable(value)) outcome = valueOutcome(value)
      else void resolved(value).then(valueOutcome).catch(errorOutcome).then(finish)
    } catch (cause) {
      outcome = errorOutcome(cause)
    }
    if (outcome !== undefined) finish(outcome)
  }

  const cancel = (id: number) => {
    const call = calls.get(id)
    if (call === undefined) return
    calls.delete(id)
    call.cancelled = true
    send({ type: "error", id, error: { code: "Cancelled", message: "the caller no longer wants the answer" } })
    call.controller?.abort()
    broker.forget(id)
  }

  const call = (frame: Extract<HostFrame, { readonly type: "read" | "act" }>) => {
    const { id, component, now } = frame
    const functions: { readonly [name: string]: (context: PluginContext, args?: unknown) => unknown } =
      (frame.type === "read" ? plugin.sensors : plugin.actuators) ?? {}
    const run = Object.hasOwn(functions, component) ? functions[component] : undefined
    if (run === undefined) {
      const kind = frame.type === "read" ? "sensor" : "actuator"
      send({ type: "error", id, error: { code: "NoSuchComponent", message: `there is no ${kind} ${component}` } })
      return
    }
    const { components } = metadata
    const described = (Object.hasOwn(components, component) ? components[component] : undefined) ?? {}
    const world = frame.type === "act" ? plugin.environment : undefined
    answer(id, world, (open) => {
      const context = contextOf(open, component, described, now)
      return frame.type === "act" ? run(context, frame.args) : run(context)
    })
  }

  const reset = ({ id, options, state, now }: Extract<HostFrame, { readonly type: "reset" }>) => {
    const world = plugin.environment
    if (world === undefined || (state !== undefined && world.restore === undefined)) {
      const message = world === undefined ? "there is no environment" : "there is no environment.restore"
      send({ type: "error", id, error: { code: "NoSuchComponent", message } })
      return
    }
    answer(id, world, async (open) => {
      const context = contextOf(open, "environment/", metadata.plugin, now)
      if (state === undefined) await world.reset(context, options)
      else await world.restore?.(context, options, state)
      return null
    })
  }

  const judge = ({ id, measure, task, now }: Extract<HostFrame, { readonly type: "judge" }>) => {
    const run = Object.hasOwn(plugin.measures ?? {}, measure) ? plugin.measures?.[measure] : undefined
    if (run === undefined) {
      const message = `there is no function for the measure ${measure}`
      send({ type: "error", id, error: { code: "NoSuchComponent", message } })
      return
    }
    answer(id, undefined, (open) => {
      const context = contextOf(open, "", task.measure.metadata ?? {}, now)
      // Of its own for each task: what one draws does not depend on which were judged before.
      const random = sfc32(`${init.seed}/${measure}/${task.id}`)
      const ask = (after: number) => broker.ask({ type: "page", call: id, after }, id)
      return run({ ...context, random }, { ...task, events: paged(ask) })
    })
  }

  return (frame) => {
    switch (frame.type) {
      case "read":
      case "act":
        return call(frame)
      case "judge":
        return judge(frame)
      case "reset":
        return reset(frame)
      case "cancel":
        return cancel(frame.id)
      case "ping":
        return send({ type: "ok", id: frame.id, value: null })
      case "answer":
        return broker.answer(frame)
      case "shutdown":
        return exit(0)
      case "metadata":
        metadata = frame.metadata
        return
    }
  }
}

/** The events that pages of them hold, each page asked for when it is needed. */
const paged = (ask: (after: number) => Promise<unknown>): AsyncIterable<TaskEvent> => ({
  async *[Symbol.asyncIterator]() {
    for (let after = 0; ; ) {
      const page = (await ask(after)) as { readonly events: ReadonlyArray<TaskEvent>; readonly more: boolean }
      yield* page.events
      const last = page.events.at(-1)
      if (!page.more || last === undefined) return
      after = last.position
    }
  },
})

/** A call that was not answered yet. */
interface OpenCall {
  readonly id: number
  cancelled: boolean
  controller?: AbortController
}

/** Made when a function first asks for it: most do not, and it costs as much as a call. */
const signalOf = (call: OpenCall): AbortSignal => {
  call.controller ??= new AbortController()
  if (call.cancelled) call.controller.abort()
  return call.controller.signal
}

type Outcome =
  | { readonly type: "ok"; readonly value: unknown }
  | { readonly type: "error"; readonly error: Failure }
  | { readonly type: "invalid"; readonly reason: string }

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function"

const errorOutcome = (cause: unknown): Outcome => ({ type: "error", error: failureOf(cause) })

const valueOutcome = (value: unknown): Outcome => {
  const wrong = findNonJson(value, 0)
  return wrong === undefined
    ? { type: "ok", value }
    : { type: "invalid", reason: `expected JSON, found ${wrong} in the answer` }
}

/** The world's state; where there is none to be had, the answer is invalid, because what happened cannot be told. */
const stateAfter = (world: Environment | undefined, outcome: Outcome): { readonly state?: Json } | Outcome => {
  if (world === undefined) return {}
  try {
    const state = world.state()
    const wrong = findNonJson(state, 0)
    return wrong === undefined
      ? { state }
      : { type: "invalid", reason: `expected JSON, found ${wrong} in environment.state()` }
  } catch (cause) {
    // A reset that failed leaves a world that may have no state yet: the failure says more.
    return outcome.type === "error" ? {} : { type: "invalid", reason: `environment.state() threw: ${describe(cause)}` }
  }
}

const failureOf = (cause: unknown): Failure => {
  if (!(cause instanceof Error)) return { code: "Error", message: typeof cause === "string" ? cause : inspect(cause) }
  const code = (cause as { readonly code?: unknown }).code
  const isText = (value: unknown): value is string => typeof value === "string" && value !== ""
  return { code: [code, cause.name].find(isText) ?? "Error", message: String(cause.message) }
}

const describe = (cause: unknown): string =>
  cause instanceof Error ? String(cause.stack ?? `${cause.name}: ${cause.message}`) : inspect(cause)

/** Requests that the host carries out for a call, until it answers them or the call is cancelled. */
const hostBroker = (send: Send) => {
  const waiting = new Map<
    number,
    { readonly call?: number; readonly settle: (answer: { readonly value?: Json; readonly error?: Failure }) => void }
  >()
  let last = 0
  const answer = (answered: { readonly id: number; readonly value?: Json; readonly error?: Failure }) => {
    const asked = waiting.get(answered.id)
    waiting.delete(answered.id)
    asked?.settle(answered)
  }
  return {
    /** Sends a request; one that belongs to a call is over when that is cancelled. */
    ask: (frame: Frame, call?: number): Promise<unknown> => {
      const id = ++last
      const asked = new Promise<unknown>((resolve, reject) => {
        waiting.set(id, {
          ...(call === undefined ? {} : { call }),
          settle: ({ value, error }) =>
            error === undefined
              ? resolve(value)
              : reject(Object.assign(new Error(error.message), { code: error.code })),
        })
      })
      // A request that nobody awaits must not end the process when its call is cancelled.
      asked.catch(() => undefined)
      const tooLong = send({ ...frame, id })
      if (tooLong !== undefined) answer({ id, error: { code: "TooLarge", message: tooLong } })
      return asked
    },
    answer,
    forget: (call: number) => {
      for (const [id, asked] of waiting) {
        if (asked.call !== call) continue
        waiting.delete(id)
        asked.settle({ error: { code: "Cancelled", message: "the call it was asked for was cancelled" } })
      }
    },
  }
}

/** Pushes readings, of which so many may wait for the host; what comes beyond is counted, and told with the next one. */
const emitter = (
  { readingsInFlight }: Init,
  { sensors }: Plugin,
  ask: (frame: Frame) => Promise<unknown>,
): PluginContext["emit"] => {
  let waiting = 0
  let dropped = 0
  const refuse = (code: string, message: string): Promise<never> => {
    const refused = Promise.reject(Object.assign(new Error(message), { code }))
    refused.catch(() => undefined)
    return refused
  }
  return (component, value) => {
    if (!Object.hasOwn(sensors ?? {}, component)) return refuse("NoSuchComponent", `there is no sensor ${component}`)
    const wrong = findNonJson(value, 0)
    if (wrong !== undefined) return refuse("NotJson", `expected JSON, found ${wrong} in the reading`)
    if (waiting >= readingsInFlight) {
      dropped++
      return refuse("TooManyReadings", `${waiting} readings wait to be taken: await some before pushing more`)
    }
    const frame = { type: "emit", component, value, ...(dropped === 0 ? {} : { dropped }) }
    dropped = 0
    waiting++
    const taken = ask(frame).then(() => undefined)
    const settled = () => {
      waiting--
    }
    taken.then(settled, settled)
    return taken
  }
}

/** Deepest nesting that the host accepts: `ANSWER_DEPTH` of the protocol. */
const MAX_DEPTH = 150

/** What in a value JSON cannot carry unchanged, in words; undefined where it is JSON. */
const findNonJson = (value: unknown, depth: number): string | undefined => {
  switch (typeof value) {
    case "string":
      return value.isWellFormed() ? undefined : "text with a lone surrogate"
    case "number":
      return Number.isFinite(value) ? undefined : String(value)
    case "boolean":
      return undefined
    case "undefined":
      return "undefined (return null where there is nothing to say)"
    case "object":
      return value === null ? undefined : findNonJsonInside(value, depth)
    default:
      return `a ${typeof value}`
  }
}

const findNonJsonInside = (value: object, depth: number): string | undefined => {
  if (depth >= MAX_DEPTH) return `a cycle or more than ${MAX_DEPTH} levels`
  const prototype: unknown = Object.getPrototypeOf(value)
  if (!Array.isArray(value) && prototype !== Object.prototype && prototype !== null) {
    return `an instance of ${(value as { readonly constructor?: { readonly name?: string } }).constructor?.name ?? "a class"}`
  }
  for (const [key, inner] of Array.isArray(value)
    ? Array.from(value, (v, i) => [String(i), v])
    : Object.entries(value)) {
    const bad = findNonJson(inner, depth + 1)
    if (bad !== undefined) return `${bad} at ${stringify(key)}`
  }
  return undefined
}

/**
 * Chris Doty-Humphrey's "small fast counter" generator (PractRand), seeded with text by FNV-1a.
 * Each component has its own, so that calling one does not change what another draws.
 */
const sfc32 = (seed: string): (() => number) => {
  const word = (salt: number) => {
    let hash = 0x811c9dc5 ^ salt
    for (const char of seed) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193)
    return hash | 0
  }
  let [a, b, c, counter] = [word(1), word(2), word(3), 1]
  const next = () => {
    const sum = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return (sum >>> 0) / 0x1_0000_0000
  }
  for (let round = 0; round < 15; round++) next()
  return next
}

await main()
