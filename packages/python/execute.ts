/** Runs a request's Python code: installs wheels, enforces limits, and collects results and output. */
import type { Json } from "hindcast/plugin"
import { ALWAYS, CALM, LEVEL, ONCE, type Request, TARGET } from "./messages.ts"
import { capture } from "./output.ts"
import type { Pyodide, PyProxy } from "./pyodide.ts"
import { wheelInstaller } from "./wheels.ts"

type Execute = Extract<Request, { readonly type: "execute" }>

/** The interpreter's report on a run: `report` of `interpreter/run.py`. */
type Report = {
  readonly outcome: "ok" | "exception" | "exit"
  readonly result: Json
  readonly repr: string | null
  readonly error: { readonly type: string; readonly message: string; readonly traceback: string } | null
}

/**
 * Runs code in the interpreter. Throws an error with a `code` if a wheel cannot be installed and nothing ran; any other
 * error means that the interpreter is lost. `begin` is called when Python begins to run, and returns the target by
 * which another thread can interrupt it, see `messages.ts`.
 */
export const executor = (
  pyodide: Pyodide,
  control: Int32Array,
): ((request: Execute, begin: (phase: 1 | 2) => number) => Json) => {
  const stdout = capture()
  const stderr = capture()
  pyodide.setStdout({ write: stdout.write, isatty: false })
  pyodide.setStderr({ write: stderr.write, isatty: false })
  const interruption = interruptBuffer(control)
  pyodide.setInterruptBuffer(interruption)
  pyodide.pyimport("_host").install((ms: number) => void Atomics.wait(control, LEVEL, CALM, ms))
  const python: PyProxy = pyodide.pyimport("_run")
  const installWheels = wheelInstaller(pyodide)
  let count = 0

  return ({ code, dependencies, wheels, seed }, begin) => {
    const installed = installWheels(dependencies, wheels)
    if (count++ === 0) python.seed(seed)
    const name = `<code ${count}>`
    interruption.target = begin(1)
    const startedAt = performance.now()
    const escaped = raisedBy(() => python.run(code, name))
    const durationMs = Math.round((performance.now() - startedAt) * 100) / 100
    interruption.target = begin(2)
    const report = reportOf(() => python.report(name))
    const { outcome, result, repr, error } = report.outcome === "ok" && escaped !== undefined ? escaped : report
    return { outcome, stdout: stdout.take(), stderr: stderr.take(), result, repr, error, installed, durationMs }
  }
}

/**
 * Python reads this between steps of its loop. It is not the shared array itself, because Python clears what it reads:
 * a lasting interruption must stay, and one for something else must not show.
 */
const interruptBuffer = (control: Int32Array) => ({
  target: -1,
  get 0(): number {
    if (Atomics.load(control, LEVEL) === CALM || Atomics.load(control, TARGET) !== this.target) return 0
    const level = Atomics.compareExchange(control, LEVEL, ONCE, CALM)
    return level === ONCE || level === ALWAYS ? SIGINT : 0
  },
  set 0(_: number) {},
})

const SIGINT = 2

/** An exception outside of the code that ran: an interruption, or lack of memory. */
const raisedBy = (run: () => void): Report | undefined => {
  try {
    run()
    return undefined
  } catch (cause) {
    if (!isPythonError(cause)) throw cause
    const lines = cause.message.trim().split("\n")
    const error = { type: cause.type, message: lines.at(-1) ?? cause.type, traceback: "" }
    return { outcome: "exception", result: null, repr: null, error }
  }
}

const reportOf = (report: () => string): Report => {
  let text = ""
  const raised = raisedBy(() => {
    text = report()
  })
  return raised ?? (JSON.parse(text) as Report)
}

/** Whether a Python exception reached JavaScript; anything else means that Pyodide broke. */
const isPythonError = (cause: unknown): cause is Error & { readonly type: string } =>
  cause instanceof Error && cause.name === "PythonError" && "type" in cause && typeof cause.type === "string"
