/** Finds an interpreter of Python, and the files that it and its packages need on a plugin's disk. */
import { execFile } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect, Schema } from "effect"
import { isInsideAny } from "../manifest/paths.ts"
import { librariesOf } from "./Libraries.ts"
import { onPath } from "./Tools.ts"

/** An interpreter. Absolute paths. */
export interface Interpreter {
  readonly program: string
  /** The file that `program` is or leads to, outside of `libraryDirectories`. Undefined if there is none. */
  readonly file: string | undefined
  /** For example `3.11.7`. */
  readonly version: string
  /** Directories of packages, in the order in which Python looks for them. */
  readonly path: ReadonlyArray<string>
  /** Shared libraries of the interpreter. */
  readonly libraries: ReadonlyArray<string>
  /** Directories with its library, its packages, and the system's shared libraries. */
  readonly libraryDirectories: ReadonlyArray<string>
}

/** The variable that names an interpreter, instead of those on the `PATH`. */
export const VARIABLE = "HINDCAST_PYTHON"

/**
 * Finds the interpreter of a version (`PythonVersion` of the manifest): the one that `HINDCAST_PYTHON` names, else the
 * first on the `PATH` that fits. Fails with a sentence.
 */
export const find = (
  wanted: string,
  environment: NodeJS.ProcessEnv = process.env,
): Effect.Effect<Interpreter, string> =>
  Effect.gen(function* () {
    const named = environment[VARIABLE]
    const candidates = named === undefined || named === "" ? candidatesFor(wanted) : [named]
    const others: Array<string> = []
    for (const candidate of candidates) {
      const program = path.isAbsolute(candidate) ? candidate : onPath(candidate)
      if (program === undefined) continue
      const probed = yield* probe(program, environment)
      if (typeof probed === "string") others.push(`${program}, which ${probed}`)
      else if (!fits(wanted, probed.version)) others.push(`${program}, which is Python ${probed.version}`)
      else return yield* withLibraries(probed)
    }
    const found = others.length === 0 ? "none" : [...new Set(others)].join("; ")
    const where = named === undefined || named === "" ? "on the PATH" : `by ${VARIABLE}=${named}`
    return yield* Effect.fail(
      `expected Python ${wanted} ${where}, found ${found}. Install that version, name another interpreter with ${VARIABLE}, or change \`python\` in the manifest`,
    )
  })

/** Whether a version is one that the manifest wants. */
export const fits = (wanted: string, version: string): boolean => {
  const isEarliest = wanted.startsWith(">=")
  const parts = (isEarliest ? wanted.slice(2) : wanted).split(".").map(Number)
  const found = version.split(".").map(Number)
  if (found[0] !== parts[0]) return false
  if (!isEarliest) return parts.every((part, index) => found[index] === part)
  const different = parts.findIndex((part, index) => found[index] !== part)
  return different === -1 || (found[different] ?? 0) > (parts[different] ?? 0)
}

/** `python3` first if any later version fits: it is the one that people install packages for. */
const candidatesFor = (wanted: string): ReadonlyArray<string> => {
  const [, minor] = wanted.replace(">=", "").split(".")
  const exact = `python3.${minor}`
  return wanted.startsWith(">=") ? ["python3", "python", exact] : [exact, "python3", "python"]
}

const Probed = Schema.Struct({
  program: Schema.NonEmptyString,
  version: Schema.NonEmptyString,
  path: Schema.Array(Schema.String),
  directories: Schema.Array(Schema.String),
})

const decodeProbed = Schema.decodeUnknownOption(Schema.parseJson(Probed))

/** In milliseconds; allows for a busy machine. */
const PROBE_MS = 30_000

/**
 * The directories of the mapped shared libraries are those of the system's. The last line is the answer, whatever
 * startup files of Python print.
 */
const PROGRAM = `
import json, os, ssl, sys, sysconfig
def real(places):
    return [p for p in dict.fromkeys(os.path.realpath(p) for p in places if p) if os.path.isdir(p) and p != os.sep]
try:
    with open("/proc/self/maps") as maps:
        mapped = [line.split()[-1] for line in maps if ".so" in line and line.rstrip().count(" /") > 0]
except OSError:
    mapped = []
own = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib")]
venv = [sys.prefix] if sys.prefix != sys.base_prefix else []
print()
print(json.dumps({
    "program": sys.executable,
    "version": "%d.%d.%d" % sys.version_info[:3],
    "path": real(p for p in sys.path[1:] if os.path.isabs(p)),
    "directories": real([*own, *sys.path[1:], *venv, *(os.path.dirname(p) for p in mapped)]),
}))
`

type ProbedInterpreter = typeof Probed.Type

/** Asks an interpreter about itself. Returns a sentence instead if it does not run. */
const probe = (program: string, environment: NodeJS.ProcessEnv): Effect.Effect<ProbedInterpreter | string> =>
  Effect.async((resume) => {
    const { PYTHONPATH: _, PYTHONSTARTUP: __, ...env } = environment
    const options = { timeout: PROBE_MS, killSignal: "SIGKILL", env, encoding: "utf8", cwd: "/" } as const
    const child = execFile(program, ["-c", PROGRAM], options, (error, stdout, stderr) => {
      const answered = decodeProbed(stdout.trimEnd().split("\n").at(-1) ?? "")
      if (error === null && answered._tag === "Some") return resume(Effect.succeed(answered.value))
      const said = stderr.trim().split("\n").at(-1) ?? ""
      resume(Effect.succeed(`does not run (${said === "" ? (error?.message ?? "it says nothing") : said})`))
    })
    return Effect.sync(() => child.kill("SIGKILL"))
  })

const withLibraries = ({ program, version, path: packages, directories }: ProbedInterpreter) =>
  Effect.map(librariesOf([program]), (libraries) => ({
    program,
    version,
    path: packages,
    libraries,
    libraryDirectories: withAliases(directories),
    file: firstOutside(program, directories),
  }))

/** Maximum number of links from a program's name to its file. */
const MAX_LINKS = 40

/**
 * Follows links to the first path outside of some directories. The program of a virtual environment is a link inside of
 * one, and a plugin's disk has the link.
 */
const firstOutside = (program: string, directories: ReadonlyArray<string>): string | undefined => {
  let place = program
  for (let link = 0; link < MAX_LINKS; link++) {
    if (!isInsideAny(place, directories)) return place
    if (fs.lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return undefined
    place = path.resolve(path.dirname(place), fs.readlinkSync(place))
  }
  return undefined
}

/**
 * Adds the directories by their other names. On most systems, `/lib` is a link to `/usr/lib`, which a plugin's disk
 * lacks, and the dynamic linker looks for libraries in both.
 */
const withAliases = (directories: ReadonlyArray<string>): ReadonlyArray<string> =>
  directories.flatMap((directory) => {
    const alias = /^\/usr(\/lib.*)$/.exec(directory)?.[1]
    return alias !== undefined && fs.existsSync(alias) ? [directory, alias] : [directory]
  })
