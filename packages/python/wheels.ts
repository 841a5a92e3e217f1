import { refusal } from "./messages.ts"
import type { Pyodide } from "./pyodide.ts"

/** The part of Deno's API in use; see https://docs.deno.com/api/deno/file-system. */
declare const Deno: {
  readDirSync(path: string): Iterable<{ readonly name: string; readonly isFile: boolean }>
  readFileSync(path: string): Uint8Array
}

interface Wheel {
  readonly name: string
  readonly version: string
  readonly file: string
}

/** A wheel's name: `name-version(-build)?-python-abi-platform.whl` (the binary distribution format, PEP 427). */
const WHEEL = /^([^-]+)-([^-]+)(?:-\d[^-]*)?-([^-]+)-([^-]+)-([^-]+)\.whl$/

/** Supported Python versions and platforms: any, and WebAssembly. */
const PYTHON = /(^|\.)(py3|py2\.py3|py31[0-4]|cp3\d*)(\.|$)/
const PLATFORM = /(^|\.)(any|[a-z0-9_]*_wasm32)(\.|$)/

/** A requirement: name, extras, version or range, and marker, which is a condition (PEP 508). */
const REQUIREMENT = /^\s*([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[[^\]]*\])?\s*([^;]*)(?:;(.*))?$/s

/**
 * Installs wheels by name from directories, with the wheels that they require, and returns the installed ones as
 * `name==version`. Installs nothing twice. Ignores version ranges in a wheel's requirements, because there is one
 * version of each. Throws an error with a `code` if a wheel is missing or does not fit.
 */
export const wheelInstaller = (pyodide: Pyodide) => {
  const installed = new Map<string, string>()

  const installOne = (wheel: Wheel): ReadonlyArray<string> => {
    const python = pyodide.pyimport("_wheels")
    try {
      const requires: ReadonlyArray<string> = JSON.parse(python.install(Deno.readFileSync(wheel.file)))
      installed.set(wheel.name, wheel.version)
      return requires
    } catch (cause) {
      const message = cause instanceof Error ? (cause.message.trim().split("\n").at(-1) ?? "") : String(cause)
      throw refusal("bad-wheel", `${wheel.file} cannot be installed: ${message}`)
    } finally {
      python.destroy()
    }
  }

  return (dependencies: ReadonlyArray<string>, directories: ReadonlyArray<string>): ReadonlyArray<string> => {
    if (dependencies.length === 0) return []
    const wheels = directories.flatMap(wheelsIn)
    const added: Array<string> = []

    const install = (name: string, version: string | undefined, marker: string, wanted: string) => {
      const before = installed.get(name)
      if (before !== undefined && (version === undefined || version === before)) return
      if (before !== undefined) {
        throw refusal(
          "wheel-conflict",
          `Expected ${wanted}, found ${name}==${before} installed in this session already.`,
        )
      }
      const wheel = wheels.find((wheel) => wheel.name === name && (version === undefined || wheel.version === version))
      if (wheel === undefined) {
        // Conditional requirements may be missing: conditions are not evaluated.
        if (marker !== "") return
        throw refusal("no-wheel", missing(wanted, wheels, directories))
      }
      const requires = installOne(wheel)
      added.push(`${wheel.name}==${wheel.version}`)
      for (const line of requires) {
        const [, name = "", , marker = ""] = REQUIREMENT.exec(line) ?? []
        if (!/\bextra\b/.test(marker)) install(normal(name), undefined, marker, `${line} (required by ${wheel.name})`)
      }
    }

    for (const dependency of dependencies) {
      const [, name, range = "", marker] = REQUIREMENT.exec(dependency) ?? []
      const version = /^==\s*([^\s,*]+)\s*$/.exec(range)?.[1]
      if (name === undefined || marker !== undefined || (range.trim() !== "" && version === undefined)) {
        throw refusal("bad-dependency", `Expected a name, or name==version; found ${JSON.stringify(dependency)}.`)
      }
      install(normal(name), version, "", dependency)
    }
    return added
  }
}

const missing = (wanted: string, wheels: ReadonlyArray<Wheel>, directories: ReadonlyArray<string>): string => {
  const there = wheels.map(({ name, version }) => `${name}==${version}`).join(", ") || "none"
  return (
    `Expected a wheel for ${wanted} that fits Python 3.14 in WebAssembly, in ${directories.join(" or ")}; found ${there}. ` +
    "Nothing is fetched: do without it, or have a person put its .whl file into wheels/ of the plugin's source and import that again."
  )
}

/** Fitting wheels of a directory; none if it is missing or unreadable. */
const wheelsIn = (directory: string): ReadonlyArray<Wheel> => {
  try {
    return [...Deno.readDirSync(directory)].flatMap(({ name: file, isFile }) => {
      const [, name, version, python, , platform] = (isFile ? WHEEL.exec(file) : undefined) ?? []
      const fits = PYTHON.test(python ?? "") && PLATFORM.test(platform ?? "")
      return name === undefined || version === undefined || !fits
        ? []
        : [{ name: normal(name), version, file: `${directory}/${file}` }]
    })
  } catch (cause) {
    if (cause instanceof Error && (cause.name === "NotFound" || cause.name === "NotCapable")) return []
    throw refusal("wheels-unreadable", `${directory} cannot be read: ${String(cause)}`)
  }
}

/** Normalises a name for comparison (PEP 503). */
const normal = (name: string): string => name.replace(/[-_.]+/g, "-").toLowerCase()
