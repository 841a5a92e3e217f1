import { execFile } from "node:child_process"
import { Effect } from "effect"

/** How long the dynamic linker may take, in milliseconds. */
const TRACE_MS = 10_000

/**
 * The shared libraries that some programs are linked with, the dynamic linker included: all that a disk needs besides the
 * programs for them to start. Absolute paths, as the linker looks for them. The linker itself is asked (`LD_TRACE_LOADED_OBJECTS`
 * of ld.so(8)); what it does not tell, for a program that is linked statically say, is left out.
 */
export const librariesOf = (programs: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<string>> =>
  Effect.map(
    Effect.forEach(programs, (program) => Effect.map(traced(program), placesIn), { concurrency: "unbounded" }),
    (places) => [...new Set(places.flat())],
  )

/** The paths in what ld.so(8) says: `libc.so.6 => /lib/libc.so.6 (0x7f…)`, or the linker's own path by itself. */
export const placesIn = (trace: string): ReadonlyArray<string> =>
  trace.split("\n").flatMap((line) => {
    const place = /^\s*(?:\S+ => )?(\/.*) \(0x[0-9a-f]+\)$/.exec(line)?.[1]
    return place === undefined ? [] : [place]
  })

const traced = (program: string): Effect.Effect<string> =>
  Effect.async((resume) => {
    const env = { LD_TRACE_LOADED_OBJECTS: "1" }
    const child = execFile(program, [], { timeout: TRACE_MS, env }, (_, stdout) => resume(Effect.succeed(stdout)))
    return Effect.sync(() => child.kill("SIGKILL"))
  })
