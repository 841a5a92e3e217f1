/** Passes the preload module on to a program's worker threads and Node child processes. */

import childProcess from "node:child_process"
import { syncBuiltinESMExports } from "node:module"
import * as path from "node:path"
import workers from "node:worker_threads"
import * as Method from "../network/Method.ts"
import * as ProcessRun from "./ProcessRun.ts"

/** The instructions for this thread or process, if any. Removes them, so that children do not inherit them unasked. */
export const told = (): unknown => {
  if (!workers.isMainThread) return workers.getEnvironmentData(ProcessRun.VARIABLE)
  const text = process.env[ProcessRun.VARIABLE]
  delete process.env[ProcessRun.VARIABLE]
  const options = (process.env.NODE_OPTIONS ?? "").replace(PRELOADED, "").trim()
  if (options === "") delete process.env.NODE_OPTIONS
  else process.env.NODE_OPTIONS = options
  return text
}

/** The option that `tell` adds. */
const PRELOADED = /--import file:\S*\/record\/process\/preload\.js/

export interface Telling {
  readonly preload: string
  /**
   * Returns the instructions for a starting child, or undefined for none. @param isWaitedFor whether this process
   * blocks until it ends
   */
  readonly run: (isWaitedFor: boolean) => ProcessRun.ProcessRun | undefined
  readonly onProcess: (program: string, isWaitedFor: boolean) => void
}

export const tell = ({ preload, run, onProcess }: Telling): void => {
  const told = (isWaitedFor: boolean) => {
    const said = run(isWaitedFor)
    return said === undefined ? undefined : ProcessRun.write(said)
  }
  tellProcesses(preload, (program, isWaitedFor) => {
    onProcess(program, isWaitedFor)
    return told(isWaitedFor)
  })
  tellWorkers(preload, () => told(false))
  syncBuiltinESMExports()
}

/** Whether a program is Node, which loads the preload module. */
export const isNode = (program: string): boolean => /^node(\.exe)?$/i.test(path.basename(program))

type Told = (program: string, isWaitedFor: boolean) => string | undefined

const tellProcesses = (preload: string, run: Told): void => {
  const { prototype } = childProcess.ChildProcess
  Method.replace(
    prototype,
    "spawn",
    (original) =>
      function spawn(this: unknown, ...args) {
        const [options] = args
        const told = run(String(Reflect.get(Object(options), "file")), false)
        if (told !== undefined && typeof options === "object" && options !== null) {
          const pairs: unknown = Reflect.get(options, "envPairs")
          Reflect.set(options, "envPairs", withRun(Array.isArray(pairs) ? pairs.map(String) : [], preload, told))
        }
        return original.apply(this, args)
      },
  )
  for (const name of ["spawnSync", "execFileSync", "execSync"]) {
    Method.replace(
      childProcess,
      name,
      (original) =>
        function spawn(this: unknown, ...args) {
          const told = run(name === "execSync" ? "sh" : String(args[0]), true)
          if (told === undefined) return original.apply(this, args)
          const isOptions = (arg: unknown) => typeof arg === "object" && arg !== null && !Array.isArray(arg)
          const at = args.findIndex(isOptions)
          const [before, options] =
            at < 0 ? [args.filter((arg) => arg !== undefined), {}] : [args.slice(0, at), args[at]]
          const env: NodeJS.ProcessEnv = Reflect.get(Object(options), "env") ?? process.env
          const pairs = Object.entries(env).flatMap(([key, value]) => (value === undefined ? [] : [`${key}=${value}`]))
          const all = Object.fromEntries(withRun(pairs, preload, told).map((pair) => pair.split(/=(.*)/s, 2)))
          return original.apply(this, [...before, { ...Object(options), env: all }])
        },
    )
  }
}

const withRun = (pairs: ReadonlyArray<string>, preload: string, run: string): ReadonlyArray<string> => {
  const option = `--import ${preload}`
  const others = pairs.filter((pair) => !/^(NODE_OPTIONS|HINDCAST_RUN)=/.test(pair))
  const options = pairs.find((pair) => pair.startsWith("NODE_OPTIONS="))?.slice("NODE_OPTIONS=".length) ?? ""
  const all = options.includes(option) ? options : `${options} ${option}`.trim()
  return [...others, `NODE_OPTIONS=${all}`, `${ProcessRun.VARIABLE}=${run}`]
}

const tellWorkers = (preload: string, run: () => string | undefined): void => {
  workers.Worker = class extends workers.Worker {
    constructor(file: string | URL, options: workers.WorkerOptions = {}) {
      const told = run()
      workers.setEnvironmentData(ProcessRun.VARIABLE, told)
      const execArgv = options.execArgv ?? process.execArgv
      const isEvaluated = options.eval === true
      super(isEvaluated && told !== undefined ? afterPreload(preload, String(file)) : file, {
        ...options,
        execArgv: execArgv.includes(preload) || told === undefined ? execArgv : [...execArgv, "--import", preload],
      })
    }
  }
}

/** Node loads no preload module before a worker whose program is given as text. */
const afterPreload = (preload: string, program: string): string =>
  `import(${JSON.stringify(preload)}).then(() => {
  const { constants, Script } = require("node:vm")
  const importModuleDynamically = constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER
  new Script(${JSON.stringify(program)}, { filename: "[worker eval]", importModuleDynamically }).runInThisContext()
})`
