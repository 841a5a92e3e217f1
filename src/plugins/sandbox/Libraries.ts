/** Finds programs' shared libraries, to mount them on a plugin's disk. */
import { execFile } from "node:child_process"
import { Effect } from "effect"

/** Time-out of the dynamic linker, in milliseconds. */
const TRACE_MS = 10_000

/**
 * Absolute paths of the shared libraries that programs need to start, including the dynamic linker, by
 * `LD_TRACE_LOADED_OBJECTS` of ld.so(8). A statically linked program has none.
 */
export const librariesOf = (programs: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<string>> =>
  Effect.map(
    Effect.forEach(programs, (program) => Effect.map(traceOf(program), pathsIn), { concurrency: "unbounded" }),
    (places) => [...new Set(places.flat())],
  )

/** Parses the output of ld.so(8): `libc.so.6 => /lib/libc.so.6 (0x7f…)`, or the linker's own path alone. */
export const pathsIn = (trace: string): ReadonlyArray<string> =>
  trace.split("\n").flatMap((line) => {
    const place = /^\s*(?:\S+ => )?(\/.*) \(0x[0-9a-f]+\)$/.exec(line)?.[1]
    return place === undefined ? [] : [place]
  })

const traceOf = (program: string): Effect.Effect<string> =>
  Effect.async((resume) => {
    const env = { LD_TRACE_LOADED_OBJECTS: "1" }
    const child = execFile(program, [], { timeout: TRACE_MS, env }, (_, stdout) => resume(Effect.succeed(stdout)))
    return Effect.sync(() => child.kill("SIGKILL"))
  })
