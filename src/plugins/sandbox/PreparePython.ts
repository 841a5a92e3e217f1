/** Prepares the sandbox of a plugin whose process is Python, and builds its command line. */
import { Effect } from "effect"
import { PluginUnavailable } from "../PluginError.ts"
import * as Interpreter from "./Interpreter.ts"
import * as Links from "./Links.ts"
import { tierOf } from "./layers/Layer.ts"
import { readPathsOf } from "./layers/Permissions.ts"
import * as Prepare from "./Prepare.ts"
import * as Runner from "./Runner.ts"
import * as Sandbox from "./Sandbox.ts"

/** The inputs of the confinement of a plugin in Python. */
export interface PythonRequest
  extends Pick<Prepare.SandboxRequest, "plugin" | "directory" | "grants" | "forbidden" | "denoDir" | "limits"> {
  /** The version that the manifest wants. */
  readonly python: string
  /** Arguments of the runner. Default: none, which serves the environment. */
  readonly args?: (found: Pick<PreparedPython, "interpreter" | "guard">) => ReadonlyArray<string>
}

/** A command line, valid for the disk as checked. */
export interface PreparedPython {
  readonly command: Sandbox.SandboxedCommand
  /** The forbidden paths, resolved. */
  readonly forbidden: ReadonlyArray<string>
  readonly interpreter: Interpreter.Interpreter
  /** The paths that the process may read and those hidden in them, which it guards itself; null if the layer does. */
  readonly guard: { readonly readable: ReadonlyArray<string>; readonly hidden: ReadonlyArray<string> } | null
}

/**
 * Prepares the sandbox. In the tier `namespaces`, the disk has the interpreter, its library and packages, and the
 * plugin's readable paths. In the tier `flags`, the runner refuses other paths and the network by an audit hook.
 */
export const preparePython = (
  confining: Sandbox.AvailableLayer,
  request: PythonRequest,
): Effect.Effect<PreparedPython, PluginUnavailable | Links.LinkLeaves | Links.TooManyFiles> =>
  Effect.gen(function* () {
    const { plugin, directory, grants, limits, python, args } = request
    const unavailable = (reason: string) => new PluginUnavailable({ plugin, reason })
    const forbidden = yield* Prepare.resolve(request, "forbidden paths", request.forbidden)
    const denoDir = yield* Prepare.makeDenoDir(request)
    const interpreter = yield* Effect.mapError(Interpreter.find(python), unavailable)
    const runner = yield* Effect.try({
      try: () => Runner.pythonFile(),
      catch: (cause) => unavailable(cause instanceof Error ? cause.message : String(cause)),
    })
    yield* Links.assertRealGrants(plugin, grants)
    const scope = { directory, grants, forbidden }
    const isOpen = tierOf(confining.layer) === "flags"
    if (isOpen) yield* Links.assertLinksInside(plugin, readPathsOf(scope))
    const guard = isOpen ? readPathsOf(scope) : null
    const { program, file, libraries, libraryDirectories } = interpreter
    const confinement = { runner, ...scope, denoDir, limits }
    const started = yield* Effect.try({
      try: () =>
        Sandbox.confinedWith(confining, confinement, {
          programs: [...(file === undefined ? [] : [file]), ...libraries],
          libraryDirectories,
          program: [program, "-B", "-s", runner, ...(args?.({ interpreter, guard }) ?? [])],
          writes: "nothing",
        }),
      catch: (cause) =>
        unavailable(
          `expected its sandbox to be made in ${denoDir}, found ${cause instanceof Error ? cause.message : String(cause)}`,
        ),
    })
    const env = { ...Sandbox.grantedVariables(grants, process.env), ...ENVIRONMENT, HOME: directory }
    return {
      command: { ...started, env, permissions: [] },
      forbidden,
      interpreter,
      guard,
    }
  })

/**
 * The same sets and dicts in each process, no files with compiled code, no windows, no sound, and one thread for
 * arithmetic: each thread of OpenBLAS takes memory from the plugin's limit.
 */
const ENVIRONMENT = {
  PYTHONHASHSEED: "0",
  PYTHONDONTWRITEBYTECODE: "1",
  PYTHONUTF8: "1",
  PYTHONFAULTHANDLER: "1",
  OMP_NUM_THREADS: "1",
  OPENBLAS_NUM_THREADS: "1",
  MKL_NUM_THREADS: "1",
  MALLOC_ARENA_MAX: "2",
  SDL_VIDEODRIVER: "dummy",
  SDL_AUDIODRIVER: "dummy",
  MPLBACKEND: "Agg",
  NO_COLOR: "1",
}
